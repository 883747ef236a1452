"""Addresses and node ids, which every shape needs."""

import base64
import re
from dataclasses import dataclass
from datetime import datetime

from bot.forge.embedded.store import Store

_NODE = re.compile(r"\d+:([A-Za-z]+)(\d+)")


@dataclass(frozen=True)
class Shapes:
    """The store and the web address that it is served on, such as http://127.0.0.1:8080."""

    store: Store
    url: str

    @property
    def api_url(self) -> str:
        """As on Enterprise Server: https://docs.github.com/enterprise-server@latest/rest"""
        return f"{self.url}/api/v3"

    def web(self, path: str) -> str:
        return f"{self.url}/{path}"

    def api(self, path: str) -> str:
        return f"{self.api_url}/{path}"


def node_id(kind: str, identity: int | str) -> str:
    """GitHub's older form of a global id: base64 of length, type and database id."""
    text = f"{len(kind):03d}:{kind}{identity}"
    return base64.b64encode(text.encode()).decode()


def parse_node_id(node: str) -> tuple[str, int] | None:
    """(type, database id) of a global id; None where it is no such thing."""
    try:
        text = base64.b64decode(node, validate=True).decode()
    except ValueError:
        return None
    found = _NODE.fullmatch(text)
    return (found[1], int(found[2])) if found else None


def stamp(time: datetime | None) -> str | None:
    """A time as the API writes it, such as 2026-01-31T09:30:00Z."""
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")
