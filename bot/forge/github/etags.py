"""Remembers answers with their ETag, so that polling costs nothing of the rate limit.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate
"""

import threading
from collections import OrderedDict
from typing import Any

Answer = tuple[int, dict[str, Any], str]
"""Status, headers in lower case, body."""

_MOST_ANSWERS = 200
_LARGEST_BODY = 1 << 18
_NOT_MODIFIED = 304


class ETags:
    """The answers of one client; safe to use from several threads."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
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
                self._answers[key] = answer
                self._answers.move_to_end(key)
                if len(self._answers) > _MOST_ANSWERS:
                    self._answers.popitem(last=False)
        return answer
