"""An OpenAI-compatible server on loopback that misbehaves as told, one turn after another."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = Callable[["Handler"], None]


def completion(
    text: str | None = "hello",
    *,
    finish: str | None = "stop",
    usage: Mapping[str, Any] | None = None,
    refusal: str | None = None,
    model: str = "served-model",
) -> dict[str, Any]:
    """The body of a chat completion."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
    }
    if usage is not None:
        body["usage"] = dict(usage)
    return body


def answers(body: Mapping[str, Any] | str, status: int = 200, **headers: str) -> Turn:
    """Answer with a JSON body or a text, with headers such as `retry_after`."""

    def turn(handler: "Handler") -> None:
        content = body if isinstance(body, str) else json.dumps(body)
        handler.send(status, content.encode(), {k.replace("_", "-"): v for k, v in headers.items()})

    return turn


def fails(status: int, message: str = "no", **headers: str) -> Turn:
    return answers({"error": {"message": message, "type": "x", "code": None}}, status, **headers)


def drops(handler: "Handler") -> None:
    """Promise a body, send half of it, cut the connection."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def stalls(handler: "Handler") -> None:
    """Say nothing until the server is closed."""
    handler.server.closing.wait(30)


def trickles(handler: "Handler") -> None:
    """Send blank lines for ever, as servers do that keep a connection alive while they think."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.closing.wait(0.05):
        handler.wfile.write(b"\n")
        handler.wfile.flush()


def echoes_key(handler: "Handler") -> None:
    """Repeat the Authorization header in an error, as careless gateways do."""
    said = handler.headers["Authorization"]
    fails(400, f"bad request with {said}")(handler)


@dataclass(frozen=True)
class Seen:
    """One request as the server got it."""

    path: str
    authorization: str
    body: dict[str, Any]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, turns: list[Turn], always: Turn) -> None:
        self.turns = turns
        self.always = always
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the game."""


class Handler(BaseHTTPRequestHandler):
    """`body` is the request's body, for turns that look at it."""

    server: Server
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = Seen(self.path, self.headers.get("Authorization", ""), self.body)
        with self.server.lock:
            self.server.seen.append(seen)
            turn = self.server.turns.pop(0) if self.server.turns else self.server.always
        turn(self)

    def send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def serving(*turns: Turn, always: Turn | None = None) -> Iterator[Server]:
    """A server that answers the first requests by `turns` and all later ones by `always`."""
    server = Server(list(turns), always or answers(completion()))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
