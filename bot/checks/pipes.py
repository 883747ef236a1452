"""Pipes between this process and one that it starts, which must all be closed in the end."""

import os


class Pipes:
    """The pipes between us and one bwrap process, all closed in the end."""

    def __init__(self) -> None:
        self._ours: list[int] = []
        self._partner: dict[int, int] = {}
        self._given: list[int] = []

    def __enter__(self) -> "Pipes":
        return self

    def __exit__(self, *_: object) -> None:
        self._close(self._ours)
        self._close(self._given)

    @property
    def given(self) -> tuple[int, ...]:
        return tuple(self._given)

    def given_for(self, ours: int) -> int:
        return self._partner[ours]

    def to_read(self) -> int:
        return self._pair(*os.pipe())

    def to_hold(self) -> int:
        given, ours = os.pipe()
        return self._pair(ours, given)

    def holding(self, content: bytes) -> int:
        """A descriptor for the other side from which it can read `content` (at most 64 KiB)."""
        given, ours = os.pipe()
        os.write(ours, content)
        os.close(ours)
        self._given.append(given)
        return given

    def release(self, ours: int) -> None:
        self._ours.remove(ours)
        os.close(ours)

    def close_given(self) -> None:
        self._close(self._given)

    def _pair(self, ours: int, given: int) -> int:
        self._ours.append(ours)
        self._given.append(given)
        self._partner[ours] = given
        return ours

    @staticmethod
    def _close(descriptors: list[int]) -> None:
        while descriptors:
            os.close(descriptors.pop())
