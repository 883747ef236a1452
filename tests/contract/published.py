"""An example payload that GitHub publishes, and what a delivery of it looks like."""

import copy
import hmac
import json
import uuid
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Example:
    """`source` is the GitHub that sends such a payload."""

    source: str
    event: str
    payload: dict[str, Any]

    @property
    def action(self) -> str:
        return str(self.payload.get("action", ""))

    @property
    def body(self) -> bytes:
        return json.dumps(self.payload).encode()

    def changed(self, path: Path, value: Any) -> "Example":
        """The same with another value at one place."""
        payload = copy.deepcopy(self.payload)
        inner: Any = payload
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value
        return Example(self.source, self.event, payload)


def signature(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}={hmac.new(secret.encode(), body, algorithm).hexdigest()}"


def headers_of(event: str, signed: str, delivery: str = "") -> dict[str, str]:
    """What GitHub sends beside a payload.
    https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
    """
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/044aadd",
        "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": "292430182",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": signed,
    }


def first(examples: list[Example], event: str, action: str) -> Example:
    """The first example of github.com."""
    return next(
        e for e in examples if (e.source, e.event, e.action) == ("api.github.com", event, action)
    )
