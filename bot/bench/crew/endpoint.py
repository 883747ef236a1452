"""An endpoint that answers with recorded replies and counts what it is asked."""

import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from bot.bench.endpoint import LocalEndpoint
from bot.model.journal import CallRecord
from bot.ports.model import Usage


class RecordedEndpoint(LocalEndpoint):
    """`asked` counts the calls by step of the recording, `first_asked` is when the first came, in
    seconds since 1970."""

    def __init__(self, calls: Iterable[CallRecord]) -> None:
        super().__init__("recorded-model", threads=8)
        self._replies = {
            tuple(m.content for m in call.request.messages): call for call in calls if call.reply
        }
        self.asked: Counter[str] = Counter()
        self.first_asked: float | None = None
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> tuple[str, Usage] | None:
        call = self._replies.get(tuple(m["content"] for m in body["messages"]))
        with self._lock:
            self.first_asked = self.first_asked or time.time()
            if call is None or call.reply is None:
                return None
            self.asked[call.request.step] += 1
        return call.reply.text, call.reply.usage
