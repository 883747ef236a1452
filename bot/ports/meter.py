"""The meter port: what is counted and timed while the bot works, for whoever watches it."""

from typing import Literal, Protocol

from bot.base import Outcome
from bot.ports.model import Usage

Arrival = Literal["stored", "known", "refused", "worked", "ignored"]
"""What becomes of a delivery: when it comes (`stored`, `known`, `refused`), and when it is read
(`worked`, `ignored`)."""

LegEnd = Literal["went_on", "waits_check", "waits_person", "unmoved", "ended", "failed"]

RequestKind = Literal["read", "write"]


class Meter(Protocol):
    """Every method only counts: it returns at once and raises nothing. Times are in seconds. Safe
    across threads."""

    def delivery(self, event: str, arrival: Arrival) -> None: ...

    def answered(self, seconds: float) -> None:
        """A delivery was answered, so many seconds after all of it was there."""
        ...

    def leg(self, phase: str, end: LegEnd, seconds: float) -> None:
        """A leg ended that began in `phase`."""
        ...

    def check_wait(self, seconds: float) -> None:
        """A run has gone on after waiting for its check tests."""
        ...

    def run_ended(self, outcome: Outcome) -> None: ...

    def model_call(
        self, model: str, outcome: str, usage: Usage, usd: float, seconds: float
    ) -> None:
        """A call ended; `outcome` is that of its line in the ledger."""
        ...

    def request(self, kind: RequestKind, status: int, seconds: float) -> None:
        """A request to the forge was answered; status 0 is none."""
        ...

    def rate_limit(self, account: str, resource: str, left: int) -> None:
        """What an answer said of the requests that are left to a credential."""
        ...

    def limited(self, seconds: float) -> None:
        """The forge asked to wait."""
        ...


class Unmetered:
    """Counts nothing: a run that nobody watches."""

    def delivery(self, event: str, arrival: Arrival) -> None: ...

    def answered(self, seconds: float) -> None: ...

    def leg(self, phase: str, end: LegEnd, seconds: float) -> None: ...

    def check_wait(self, seconds: float) -> None: ...

    def run_ended(self, outcome: Outcome) -> None: ...

    def model_call(
        self, model: str, outcome: str, usage: Usage, usd: float, seconds: float
    ) -> None: ...

    def request(self, kind: RequestKind, status: int, seconds: float) -> None: ...

    def rate_limit(self, account: str, resource: str, left: int) -> None: ...

    def limited(self, seconds: float) -> None: ...
