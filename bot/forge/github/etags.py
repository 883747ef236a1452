"""Remembers answers with their ETag, so that polling costs nothing of the rate limit.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate
"""

import threading
from collections import OrderedDict
from typing import Any

Answer = tuple[int, dict[str, Any], str]
"""Status, headers in lower case, body."""

# Characters: of one answer, and of all that one client remembers.
_LARGEST_BODY = 1 << 18
_MOST_REMEMBERED = 1 << 22
_NOT_MODIFIED = 304


class ETags:
    """The answers of one client; safe to use from several threads."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def condition(self, key: str) -> dict[str, str]:
        """The headers that ask for an answer only if it is another one than last time."""
        with self._lock:
            known = self._answers.get(key)
        return {"If-None-Match": known[1]["etag"]} if known else {}

    def settle(self, key: str, answer: Answer) -> Answer:
        """The answer, or the remembered one where it is still the same."""
        status, headers, body = answer
        with self._lock:
            if status == _NOT_MODIFIED and key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            if status == 200 and "etag" in headers and len(body) <= _LARGEST_BODY:
                self._remember(key, answer)
        return answer

    def _remember(self, key: str, answer: Answer) -> None:
        """The answers that were asked for longest ago go first."""
        old = self._answers.pop(key, None)
        self._answers[key] = answer
        self._size += len(answer[2]) - (len(old[2]) if old else 0)
        while self._size > _MOST_REMEMBERED:
            _, gone = self._answers.popitem(last=False)
            self._size -= len(gone[2])
