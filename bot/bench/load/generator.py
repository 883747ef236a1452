"""Deliveries at a fixed rate, whatever becomes of the ones before; a process of its own, so that
it shares nothing with what it measures but the machine.

Each delivery has a time at which it is due, and its latency counts from then: a server that is
late with one delivery is not forgiven the others that wait behind it (no coordinated omission).
"""

import asyncio
import contextlib
import json
import sys
import time
from collections import deque
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, cast

from bot.base import Data


class Payload(Data):
    """What deliveries of one body have in common; `signature` is X-Hub-Signature-256."""

    event: str
    signature: str
    body: str


class Order(Data):
    """`rate` deliveries a second for so many seconds, to a port on this machine, over so many
    connections that are kept open. The payloads of a JSON file take turns; each delivery has an
    id of its own. Answers are waited for until `patience` seconds after the last one was due."""

    port: int
    path: str
    payloads: Path
    prefix: str
    rate: float
    seconds: float
    patience: float = 10.0
    connections: int = 64

    @property
    def count(self) -> int:
        return max(1, round(self.rate * self.seconds))

    def id(self, number: int) -> str:
        return f"{self.prefix}-{number}"


class Sent(Data):
    """By number of delivery: its HTTP status (0 where no answer came), and in milliseconds since
    it was due when it was sent and when it was answered (-1 where it was not)."""

    statuses: tuple[int, ...]
    sent: tuple[float, ...]
    answered: tuple[float, ...]


class _Connection(asyncio.Protocol):
    """Carries one delivery at a time."""

    def __init__(self, sender: "_Sender") -> None:
        self._sender = sender
        self._answer = bytearray()
        self._number = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._sender.is_free(self)

    def send(self, number: int, request: bytes) -> None:
        self._number = number
        self._answer.clear()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._answer += data
        if self._number >= 0 and _is_whole(self._answer):
            self._sender.is_answered(self._number, int(self._answer[9:12]))
            self._number = -1
            self._sender.is_free(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._sender.is_lost(self, self._number)


def _is_whole(answer: bytearray) -> bool:
    """Whether an HTTP/1.1 answer is complete."""
    head, end, body = bytes(answer).lower().partition(b"\r\n\r\n")
    if not end:
        return False
    if b"transfer-encoding: chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    length = head.partition(b"content-length:")[2].split(b"\r\n")[0]
    return len(body) >= int(length or 0)


class _Sender:
    """Hands what is due to connections that are free."""

    def __init__(self, order: Order, payloads: list[Payload]) -> None:
        self._order = order
        self._heads = [_head(order, payload) for payload in payloads]
        self._bodies = [payload.body.encode() for payload in payloads]
        self._free: list[_Connection] = []
        self._due: deque[int] = deque()
        self._statuses = [0] * order.count
        self._sent = [-1.0] * order.count
        self._answered = [-1.0] * order.count
        self._open = True
        self._opening: set[asyncio.Task[None]] = set()
        self._left = order.count
        self._start = 0.0
        self._over = asyncio.Event()

    async def run(self) -> Sent:
        await asyncio.gather(*(self._connect() for _ in range(self._order.connections)))
        self._start = time.perf_counter()
        for number in range(self._order.count):
            await asyncio.sleep(max(-self._since_due(number) / 1000, 0))
            self._due.append(number)
            if self._free:
                self._send_next(self._free.pop())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), self._order.patience)
        self._open = False
        for connection in self._free:
            connection.transport.abort()
        return Sent(
            statuses=tuple(self._statuses),
            sent=tuple(self._sent),
            answered=tuple(self._answered),
        )

    def is_free(self, connection: _Connection) -> None:
        if self._due:
            self._send_next(connection)
        else:
            self._free.append(connection)

    def is_answered(self, number: int, status: int) -> None:
        self._statuses[number] = status
        self._answered[number] = self._since_due(number)
        self._left -= 1
        if not self._left:
            self._over.set()

    def is_lost(self, connection: _Connection, number: int) -> None:
        """A delivery under way stays without an answer; another connection takes the place."""
        if connection in self._free:
            self._free.remove(connection)
        if self._open:
            self._begin(self._connect())

    def _send_next(self, connection: _Connection) -> None:
        number = self._due.popleft()
        kind = number % len(self._heads)
        head, id_ = self._heads[kind], self._order.id(number).encode()
        self._sent[number] = self._since_due(number)
        connection.send(number, b"%s%s\r\n\r\n%s" % (head, id_, self._bodies[kind]))

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            await loop.create_connection(lambda: _Connection(self), "127.0.0.1", self._order.port)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    def _since_due(self, number: int) -> float:
        due = self._start + number / self._order.rate
        return round((time.perf_counter() - due) * 1000, 3)


def _head(order: Order, payload: Payload) -> bytes:
    """The request's headers up to the id, which comes last."""
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
    return "\r\n".join(
        (
            f"POST {order.path} HTTP/1.1",
            f"Host: 127.0.0.1:{order.port}",
            "Accept: */*",
            "Content-Type: application/json",
            f"Content-Length: {len(payload.body.encode())}",
            "User-Agent: GitHub-Hookshot/bench",
            f"X-GitHub-Event: {payload.event}",
            f"X-Hub-Signature-256: {payload.signature}",
            "X-GitHub-Delivery: ",
        )
    ).encode()


def send(order: Order) -> Sent:
    """Carry out an order, in this process."""
    payloads = [Payload.model_validate(told) for told in json.loads(order.payloads.read_text())]
    return asyncio.run(_Sender(order, payloads).run())


def main() -> None:
    """From an Order on standard input to a Sent on standard output."""
    order = Order.model_validate_json(sys.stdin.read())
    sys.stdout.write(send(order).model_dump_json())


if __name__ == "__main__":
    main()
