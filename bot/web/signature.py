"""Whether a delivery is GitHub's: a keyed hash over the raw bytes, compared in constant time."""

import hashlib
import hmac


def is_signed(secret: bytes, body: bytes, signature: str) -> bool:
    """`signature` is the header X-Hub-Signature-256; the older X-Hub-Signature is not looked at.
    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    right = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(right.encode(), signature.encode("utf-8", "replace"))
