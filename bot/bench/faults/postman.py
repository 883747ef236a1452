"""Carries webhook deliveries from the embedded GitHub to the bot's server, as badly as a network
does. GitHub hears at once that all is well: it does not deliver again by itself either way."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Self

import requests

from bot.bench.faults.kinds import Post

LOST_OF = 5
"""One of so many deliveries is lost."""

_QUIET = 0.3
_LATE = (0.2, 3.0)
_TIMEOUT = 15


@dataclass(frozen=True)
class _Letter:
    path: str
    headers: Mapping[str, str]
    body: bytes


class Postman:
    """`first` is which delivery of each five is lost, and the seed of how late each one comes."""

    def __init__(self, post: Post, target: str, *, first: int = 0) -> None:
        self._post = post
        self._target = target
        self._first = first
        self._rng = random.Random(first)  # noqa: S311
        self._letters: SimpleQueue[_Letter | None] = SimpleQueue()
        self._lock = Lock()
        self._under_way = 0
        self.lost = 0
        self._count = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.postman = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._threads = [
            Thread(target=self._server.serve_forever, args=(0.05,), daemon=True),
            Thread(target=self._carry, daemon=True),
        ]

    def start(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._letters.put(None)

    @property
    def idle(self) -> bool:
        """Whether everything has been delivered or lost."""
        with self._lock:
            return self._under_way == 0

    def take(self, letter: _Letter) -> None:
        with self._lock:
            self._count += 1
            if self._post is Post.DROPPED and self._count % LOST_OF == self._first:
                self.lost += 1
                return
            self._under_way += 1
        self._letters.put(letter)

    def _carry(self) -> None:
        while (letter := self._letters.get()) is not None:
            match self._post:
                case Post.REVERSED:
                    for each in reversed([letter, *self._those_after()]):
                        self._deliver(each)
                case Post.DELAYED:
                    Thread(target=self._later, args=(letter,), daemon=True).start()
                case Post.DOUBLED:
                    self._hand_over(letter)
                    self._deliver(letter)
                case _:
                    self._deliver(letter)

    def _those_after(self) -> Sequence[_Letter]:
        """What comes until nothing has come for a moment."""
        found: list[_Letter] = []
        try:
            while (letter := self._letters.get(timeout=_QUIET)) is not None:
                found.append(letter)
            self._letters.put(None)
        except Empty:
            return found
        return found

    def _later(self, letter: _Letter) -> None:
        time.sleep(self._rng.uniform(*_LATE))
        self._deliver(letter)

    def _deliver(self, letter: _Letter) -> None:
        self._hand_over(letter)
        with self._lock:
            self._under_way -= 1

    def _hand_over(self, letter: _Letter) -> None:
        """A server that is down has lost what comes meanwhile."""
        try:
            requests.post(
                f"{self._target}{letter.path}",
                data=letter.body,
                headers=dict(letter.headers),
                timeout=_TIMEOUT,
            )
        except requests.RequestException:
            with self._lock:
                self.lost += 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    postman: Postman


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kept = {n: v for n, v in self.headers.items() if n.startswith("X-") or n == "Content-Type"}
        self.server.postman.take(_Letter(self.path, kept, body))
        self.send_response_only(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""
