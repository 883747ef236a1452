"""The load bench: how it finds the highest rate, that its generator forgives nothing, and a short
measurement of the real server."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bot.base import RepowrightError
from bot.bench.api.packages import published
from bot.bench.load.bench import bench_load
from bot.bench.load.climb import Climb, Step, best, climb
from bot.bench.load.generator import Order, Payload, Sent, send

TOP = 1234.0


class Server(ThreadingHTTPServer):
    """Answers 202, and nobody while it holds its breath."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ids: list[str] = []
        self.bodies: set[bytes] = set()
        self.breath = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.breath:
            self.server.ids.append(self.headers["X-GitHub-Delivery"])
            self.server.bodies.add(body)
        self.send_response(202)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextmanager
def listening() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def order(folder: Path, port: int, **changes: object) -> Order:
    payloads = [Payload(event="issues", signature="sha256=0", body=text) for text in ("é", "b")]
    file = folder / "payloads.json"
    file.write_text(json.dumps([payload.model_dump() for payload in payloads]))
    asked = {"port": port, "path": "/", "payloads": file, "prefix": "d", "rate": 100, "seconds": 1}
    return Order.model_validate({**asked, "connections": 8, **changes})


def step(rate: float, *, held: bool) -> Step:
    return Step(
        rate=rate,
        sent=100,
        answered=100,
        within=99 if held else 98,
        p50_ms=1,
        p99_ms=90,
        late_p99_ms=0,
    )


def test_the_climb_ends_close_below_what_is_held() -> None:
    asked: list[float] = []

    def measure(rate: float) -> Step:
        asked.append(rate)
        return step(rate, held=rate <= TOP)

    found = best(climb(Climb(start=100, halvings=4), measure))
    assert found is not None
    assert TOP * 0.94 <= found.rate <= TOP
    assert len(asked) <= 14


def test_one_bad_moment_does_not_end_the_climb() -> None:
    bad = [200.0]

    def measure(rate: float) -> Step:
        if rate in bad:
            bad.remove(rate)
            return step(rate, held=False)
        return step(rate, held=rate <= TOP)

    found = best(climb(Climb(start=100, halvings=0), measure))
    assert found is not None
    assert found.rate == 800


def test_a_server_that_holds_nothing_has_no_rate() -> None:
    steps = climb(Climb(), lambda rate: step(rate, held=False))
    assert best(steps) is None
    assert min(s.rate for s in steps) < 50


def test_every_delivery_is_sent_once_under_its_own_id(tmp_path: Path) -> None:
    with listening() as server:
        asked = order(tmp_path, server.server_port)
        sent = send(asked)
    assert sorted(server.ids) == sorted(asked.id(n) for n in range(100))
    assert server.bodies == {"é".encode(), b"b"}
    assert set(sent.statuses) == {202}


def test_deliveries_behind_a_stall_are_late_by_what_is_left_of_it(tmp_path: Path) -> None:
    with listening() as server:
        server.breath.acquire()
        release = threading.Timer(1.0, server.breath.release)
        begun = time.perf_counter()
        release.start()
        sent = send(order(tmp_path, server.server_port, rate=50))
        release.join()
        took = time.perf_counter() - begun
    late = [answered for answered in sent.answered if answered > 200]
    assert len(late) >= 20, "a stalled server was forgiven what waited behind"
    assert max(sent.answered) <= took * 1000


def test_what_is_never_answered_is_told(tmp_path: Path) -> None:
    with listening() as server:
        port = server.server_port
    sent = send(order(tmp_path, port, patience=0.2))
    assert sent == Sent(statuses=(0,) * 100, sent=(-1.0,) * 100, answered=(-1.0,) * 100)


def test_a_short_measurement_loses_nothing() -> None:
    try:
        published("examples")
    except RepowrightError as error:
        pytest.skip(error.sentence)
    result = bench_load("sqlite", Climb(start=25, most=25, halvings=0), seconds=1)
    (row,) = result.tasks
    assert row["task"] == "sqlite"
    assert int(row["acknowledged"] or 0) >= 50
    assert result.figures["lost"] == result.figures["doubled"] == 0
