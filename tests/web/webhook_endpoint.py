"""The webhook endpoint on loopback, storing into a real database."""

import hashlib
import hmac
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from wsgiref.types import WSGIApplication

import requests

from bot.forge.embedded.serving import BackgroundServer
from bot.runs.deliveries import SqlDeliveries
from bot.runs.worker import Health

SECRET = "a secret that only GitHub and the bot know"


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@contextmanager
def served(app: WSGIApplication) -> Iterator[str]:
    """The address of an application that is served meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        web = BackgroundServer(app, "endpoint", sockets=[listening], threads=4).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        web.stop()


@dataclass
class Endpoint:
    """`bells` counts how often the worker was told of a delivery; `working` is what it says of
    itself."""

    deliveries: SqlDeliveries
    url: str = ""
    bells: list[None] = field(default_factory=list)
    working: bool = True

    def health(self) -> Health:
        return Health(working=self.working, deliveries=self.deliveries.waiting(), tasks=0)

    def post(self, body: bytes, **headers: str) -> requests.Response:
        """A delivery with a good signature and all headers, but for those given; "" leaves one
        out."""
        sent = {
            "X-Hub-Signature-256": signature(body),
            "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
            "X-GitHub-Event": "issues",
            "Content-Type": "application/json",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        chosen = {name: value for name, value in sent.items() if value}
        return requests.post(f"{self.url}/webhook", data=body, headers=chosen, timeout=20)
