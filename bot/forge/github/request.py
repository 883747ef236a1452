"""One request to the GitHub API, as the transport sends it."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bot.ports.meter import RequestKind

READS = ("GET", "HEAD")
_GRAPHQL = "/graphql"


class Request(NamedTuple):
    verb: str
    url: str
    parameters: dict[str, Any] | None
    headers: dict[str, Any] | None
    input: Any

    @property
    def name(self) -> str:
        return f"{self.verb} {urlsplit(self.url).path}"

    @property
    def is_read(self) -> bool:
        """Also GraphQL's queries, though they are sent with POST: they may be repeated."""
        return self.verb in READS or self._is_query

    @property
    def kind(self) -> RequestKind:
        return "read" if self.is_read else "write"

    @property
    def resource(self) -> str:
        """The rate limit that it counts for."""
        return "graphql" if urlsplit(self.url).path.endswith(_GRAPHQL) else "core"

    @property
    def _is_query(self) -> bool:
        if self.resource != "graphql" or not isinstance(self.input, dict):
            return False
        return not str(self.input.get("query", "")).lstrip().startswith("mutation")
