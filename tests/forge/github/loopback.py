"""Loopback servers that fail as networks and GitHub fail."""

import http.client
import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

QUERY = "QUERY"


@dataclass
class Reply:
    """An answer; `status` 0 closes the connection without one."""

    status: int
    data: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass
class Seen:
    verb: str
    path: str
    headers: dict[str, str]
    body: bytes


class Server:
    """Serves on a free port until it is closed."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.netloc = f"127.0.0.1:{self._http.server_address[1]}"
        self.url = f"http://{self.netloc}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        pass

    def received(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline(), 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def hang_up(self) -> None:
        self.close_connection = True

    def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Scripted(Server):
    """Answers requests from a script, one after the other, and remembers them."""

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.seen: list[Seen] = []
        outer = self

        class Play(Handler):
            def answer(self) -> None:
                body = self.received()
                outer.seen.append(Seen(self.command, self.path, dict(self.headers), body))
                reply = outer.script.pop(0) if outer.script else Reply(500, {"message": "empty"})
                if reply.status == 0:
                    self.hang_up()
                    return
                text = json.dumps(reply.data).encode() if reply.body is None else reply.body
                kind = {"Content-Type": "application/json; charset=utf-8"}
                self.reply(reply.status, {**kind, **reply.headers}, text)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

        super().__init__(Play)

    @property
    def calls(self) -> list[str]:
        return [f"{seen.verb} {seen.path}" for seen in self.seen]


class Stalled(Server):
    """Takes every request and answers none before it is closed."""

    def __init__(self) -> None:
        over = self._over = threading.Event()

        class Stall(Handler):
            def answer(self) -> None:
                over.wait()
                self.hang_up()

            do_GET = do_POST = answer

        super().__init__(Stall)

    def close(self) -> None:
        self._over.set()
        super().close()


class Dropping(Server):
    """Passes requests on to a server; the next `drops` writes are carried out there, and then the
    connection is closed instead of answered. `before` is called with verb and path when a request
    is on its way, which ends there where it raises ConnectionError; GraphQL's queries, which write
    nothing, have the verb QUERY."""

    def __init__(self, upstream: str) -> None:
        self.drops = 0
        self.dropped = 0
        self.spare: tuple[str, ...] = ()
        self.writes: list[str] = []
        self.before: Callable[[str, str], None] = lambda verb, path: None
        outer = self
        target = urlsplit(upstream).netloc

        class Forward(Handler):
            def answer(self) -> None:
                body = self.received()
                verb = self.command
                if self.path.endswith("/graphql") and b"mutation" not in body:
                    verb = QUERY
                try:
                    outer.before(verb, self.path)
                except ConnectionError:
                    self.hang_up()
                    return
                link = http.client.HTTPConnection(target, timeout=60)
                headers = {
                    k: v
                    for k, v in self.headers.items()
                    if k.lower() not in ("host", "connection", "transfer-encoding")
                }
                headers["Content-Length"] = str(len(body))
                link.connect()
                link.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                link.request(self.command, self.path, body, headers)
                answer = link.getresponse()
                data = answer.read()
                link.close()
                if outer.is_write(verb, self.path):
                    outer.writes.append(f"{self.command} {self.path}")
                    if outer.drops and not self.path.endswith(outer.spare or ("//",)):
                        outer.drops -= 1
                        outer.dropped += 1
                        self.hang_up()
                        return
                kept = {
                    k: v.replace(target, outer.netloc)
                    for k, v in answer.getheaders()
                    if k.lower() not in ("content-length", "transfer-encoding", "connection")
                }
                if "json" in (answer.getheader("Content-Type") or ""):
                    data = data.replace(target.encode(), outer.netloc.encode())
                self.reply(answer.status, kept, data)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = answer

        super().__init__(Forward)

    @staticmethod
    def is_write(verb: str, path: str) -> bool:
        return verb not in ("GET", "HEAD", QUERY) and not path.endswith("/git-upload-pack")
