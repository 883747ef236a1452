"""A proxy in front of the embedded GitHub that counts requests and strikes one of them: real
sockets, so that a connection can really break before the server acts, or after."""

import json
import re
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Self
from urllib.parse import urlsplit

from bot.bench.faults.kinds import Kind, Request, Strike

POINTS = "/-/point/"
"""Below this path the bot's process says where it is; nothing is behind it."""

_NOT_PASSED_ON = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
_READS = ("GET", "HEAD")
_PATIENCE = 120.0
_RETRY_AFTER = 1
_LIMITED = {
    "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you "
    "try again.",
    "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api",
}


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class _Call:
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass
class FaultProxy:
    """`stall` is how long a stalled request is held, in seconds. `kill` ends the bot's process,
    `expire` makes every token worthless that was handed out so far; both are called in the
    middle of the stricken request. `limits` answers 403 as GitHub does for a secondary limit."""

    stall: float
    kill: Callable[[], None] = lambda: None
    expire: Callable[[], None] = lambda: None
    strike: Strike | None = None
    target: tuple[str, int] = ("127.0.0.1", 0)
    seen: list[Request] = field(default_factory=list)
    struck: str = ""

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._writes = self._since = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(
            target=self._server.serve_forever, args=(0.05,), name="fault-proxy", daemon=True
        )

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fault_of(self, call: _Call) -> Kind | None:
        """Count a request; the fault that strikes it, if any."""
        request = Request(name=_name_of(call), is_write=_is_write(call))
        with self._lock:
            self.seen.append(request)
            if self.strike is None or self.struck:
                return None
            counts = self.strike.counts(request)
            self._writes += counts
            self._since = 0 if counts else self._since + 1
            if (self._writes - 1, self._since) != (self.strike.write, self.strike.later):
                return None
            self.struck = request.name
            return self.strike.kind

    def forward(self, call: _Call) -> _Answer:
        """What the server answers, read to its end."""
        if call.path.startswith(POINTS):
            return _Answer(204, (), b"")
        connection = HTTPConnection(*self.target, timeout=_PATIENCE)
        try:
            connection.putrequest(call.method, call.path, skip_host=True, skip_accept_encoding=True)
            for name, value in call.headers:
                if name.lower() not in _NOT_PASSED_ON:
                    connection.putheader(name, value)
            if call.body or call.method not in _READS:
                connection.putheader("Content-Length", str(len(call.body)))
            connection.endheaders(call.body or None)
            answer = connection.getresponse()
            return _Answer(answer.status, tuple(answer.getheaders()), answer.read())
        finally:
            connection.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    proxy: FaultProxy

    def handle_error(self, request: object, client_address: object) -> None:
        """The bot's process may be gone in the middle of anything."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer in two packets would wait for the first one's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._exchange()

    do_HEAD = do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def _exchange(self) -> None:
        proxy = self.server.proxy
        call = _Call(self.command, self.path, tuple(self.headers.items()), self._body())
        fault = proxy.fault_of(call)
        if fault is None:
            self._reply(proxy.forward(call))
        else:
            self._strike(fault, call, proxy)

    def _strike(self, fault: Kind, call: _Call, proxy: FaultProxy) -> None:
        match fault:
            case Kind.DROPPED_BEFORE:
                self._drop()
            case Kind.DROPPED_AFTER:
                proxy.forward(call)
                self._drop()
            case Kind.CUT_SHORT:
                self._reply(proxy.forward(call), cut=True)
            case Kind.SERVER_ERROR:
                self._reply(_json_answer(500, {"message": "Server Error"}))
            case Kind.BAD_GATEWAY:
                self._reply(_unicorn())
            case Kind.BAD_GATEWAY_AFTER:
                proxy.forward(call)
                self._reply(_unicorn())
            case Kind.LIMITED:
                wait = {"Retry-After": str(_RETRY_AFTER)}
                self._reply(_json_answer(403, _LIMITED, wait))
            case Kind.EXPIRED:
                proxy.expire()
                self._reply(proxy.forward(call))
            case Kind.LATE:
                time.sleep(proxy.stall)
                proxy.forward(call)
                self._drop()
            case Kind.UNANSWERED:
                proxy.forward(call)
                time.sleep(proxy.stall)
                self._drop()
            case Kind.KILLED_BEFORE:
                proxy.kill()
                self._drop()
            case Kind.KILLED_AFTER:
                answer = proxy.forward(call)
                proxy.kill()
                self._reply(answer)
            case Kind.KILLED_BETWEEN:
                self._reply(proxy.forward(call))
                proxy.kill()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(chunks)

    def _reply(self, answer: _Answer, *, cut: bool = False) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() not in _NOT_PASSED_ON:
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(answer.body) + cut))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
        self.wfile.flush()
        if cut:
            self._drop()

    def _drop(self) -> None:
        """End the connection without a word more."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _json_answer(
    status: int, data: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> _Answer:
    kind = {"Content-Type": "application/json; charset=utf-8", **(headers or {})}
    return _Answer(status, tuple(kind.items()), json.dumps(data).encode())


def _unicorn() -> _Answer:
    """GitHub's front answers in HTML where what is behind it does not."""
    page = b"<!DOCTYPE html><html><head><title>Unicorn!</title></head><body></body></html>"
    return _Answer(502, (("Content-Type", "text/html; charset=utf-8"),), page)


def _is_write(call: _Call) -> bool:
    path = urlsplit(call.path).path
    if call.method in _READS or path.endswith("/git-upload-pack"):
        return False
    return not path.endswith("/graphql") or b"mutation" in call.body


def _name_of(call: _Call) -> str:
    """Such as `POST pulls/N/reviews`, `push run` or `graphql markPullRequestReadyForReview`."""
    path = urlsplit(call.path).path
    if path.startswith(POINTS):
        return f"point {path.removeprefix(POINTS)}"
    if path.endswith("/git-receive-pack"):
        return f"push {'run' if b'refs/repowright/' in call.body[:4096] else 'branch'}"
    if path.endswith("/graphql"):
        verb = re.search(rb"mutation.*?(\w+)\s*\(\s*input", call.body, re.DOTALL)
        return f"graphql {verb[1].decode() if verb else 'query'}"
    short = re.sub(r"^(/api/v3)?(/repos)?/[^/]+/[^/]+(?=/|$)", "", path) or path
    if "/access_tokens" in path:
        short = "access_tokens"
    return f"{call.method} {re.sub(r'[0-9a-f]{40}|[0-9]+', 'N', short).lstrip('/')}"
