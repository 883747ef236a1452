"""Whether a delivery is GitHub's: a keyed hash over the raw bytes, compared in constant time."""

import hashlib
import hmac


def signature_of(secret: bytes, body: bytes) -> str:
    """What GitHub sends as X-Hub-Signature-256.
    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def is_signed(secret: bytes, body: bytes, signature: str) -> bool:
    """`signature` is the header X-Hub-Signature-256; the older X-Hub-Signature is not looked at."""
    right = signature_of(secret, body)
    return hmac.compare_digest(right.encode(), signature.encode("utf-8", "replace"))
