"""One request to GitHub's API and what it answered, taken down between client and server."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

REST = "/api/v3"
GRAPHQL = "/api/graphql"


@dataclass(frozen=True)
class Exchange:
    """`path` is below the base of the REST API, as it was sent, "/graphql" for GraphQL; header
    names are in lower case."""

    method: str
    path: str
    query: str
    sent_headers: dict[str, str]
    sent: bytes
    status: int
    headers: dict[str, str]
    body: bytes


class Recorder:
    """WSGI middleware in front of a GitHub: keeps every exchange with its API, git and pages left
    out. Safe to use from several threads."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._kept: list[Exchange] = []

    @property
    def exchanges(self) -> list[Exchange]:
        """All so far, in the order of their answers."""
        with self._lock:
            return list(self._kept)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = _api_path(environ["REQUEST_URI"].partition("?")[0])
        if path is None:
            return self._app(environ, start_response)
        sent = environ["wsgi.input"].read()
        environ["wsgi.input"] = BytesIO(sent)
        told: list[Any] = []

        def begin(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
            told[:] = [int(status[:3]), {name.lower(): value for name, value in headers}]
            return start_response(status, headers, error)

        answer = self._app(environ, begin)
        try:
            body = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        exchange = Exchange(
            method=environ["REQUEST_METHOD"],
            path=path,
            query=environ.get("QUERY_STRING", ""),
            sent_headers=_headers(environ),
            sent=sent,
            status=told[0],
            headers=told[1],
            body=body,
        )
        with self._lock:
            self._kept.append(exchange)
        return [body]


def _api_path(path: str) -> str | None:
    if path == GRAPHQL:
        return "/graphql"
    if path == REST or path.startswith(f"{REST}/"):
        return path[len(REST) :] or "/"
    return None


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    found = {k[5:].replace("_", "-").lower(): v for k, v in environ.items() if k[:5] == "HTTP_"}
    return found | {"content-type": environ.get("CONTENT_TYPE", "")}
