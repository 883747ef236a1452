"""The calls port: a second place for the model calls of a run that its ref does not hold yet, for
another machine to go on from where this one is lost."""

from collections.abc import Iterable, Mapping
from typing import Protocol


class CallKeeper(Protocol):
    """Keeps the calls of one run by name, such as `calls/0007-code.1-fix-pkg-a.py.json`, and from
    the moment before they are made their reservations, `reserved/0007-code.1-fix-pkg-a.py.json`."""

    def keep(self, name: str, content: bytes) -> None:
        """Keep a call that is on this machine's disk already; where that fails the run goes on."""
        ...

    def kept(self) -> Mapping[str, bytes]: ...

    def drop(self, names: Iterable[str]) -> None:
        """The run's ref holds these now."""
        ...
