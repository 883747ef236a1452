"""What git says of objects that are named by their full ids never changes: it is asked once."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

_ENTRIES = 2048
_LARGEST = 65_536


class Memory:
    """The answers used last, those of more than 64 KiB left out. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], bytes] = OrderedDict()

    def recall(self, key: tuple[str, ...], ask: Callable[[], bytes]) -> bytes:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        answer = ask()
        if len(answer) <= _LARGEST:
            with self._lock:
                self._kept[key] = answer
                if len(self._kept) > _ENTRIES:
                    self._kept.popitem(last=False)
        return answer
