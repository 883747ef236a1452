"""The run's hard limits: a call reserves its worst case before it is made, so none is exceeded."""

import math
import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from threading import Condition

from bot.base import Data
from bot.config import BudgetSettings
from bot.ports.model import BudgetExhausted

_UNITS = ("usd", "tokens", "calls", "minutes")


class Cost(Data):
    """What a call takes from the budget, reserved or spent."""

    usd: Decimal = Decimal(0)
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            usd=self.usd + other.usd,
            tokens=self.tokens + other.tokens,
            calls=self.calls + other.calls,
        )


class TopUp(Data):
    """What a person adds to the limits."""

    usd: Decimal = Decimal(0)
    tokens: int = 0
    calls: int = 0
    minutes: float = 0.0


def parse_top_up(text: str) -> TopUp | None:
    """What stands behind `/repowright budget`: `+2usd`, `+$2`, `+100000tokens`, `+20 calls`,
    `+30minutes`. None where it is none of these."""
    pattern = r"\+?\s*(\$?)(\d{1,9}(?:\.\d{1,4})?)\s*([a-z]*)"
    match = re.fullmatch(pattern, text.strip().lower().replace(",", ""))
    if not match:
        return None
    dollar, number, unit = match.groups()
    unit = unit or ("usd" if dollar else "")
    if unit not in _UNITS or (dollar and unit != "usd"):
        return None
    value = Decimal(number)
    if unit in ("tokens", "calls") and value != int(value):
        return None
    return TopUp.model_validate({unit: value})


class Reservation:
    """A hold on the budget; it ends with `settle` or `release` of the budget, once."""

    def __init__(self, worst: Cost) -> None:
        self.worst = worst


class Budget:
    """Dollars, tokens, calls and minutes of one run. Safe across threads.

    What is spent and what is reserved never add up to more than a limit. A provider that uses
    more than it was allowed (a longer reply than `max_output`) is counted as it is, and the next
    call finds that much less.
    """

    def __init__(
        self,
        limits: BudgetSettings,
        *,
        clock: Callable[[], float],
        spent: Cost | None = None,
        used_seconds: float = 0.0,
    ) -> None:
        """`clock` gives seconds that only grow. `spent` and `used_seconds` are what earlier legs
        of the run took."""
        self._usd = None if limits.usd is None else Decimal(str(limits.usd))
        self._tokens = limits.tokens
        self._calls = limits.calls
        self._minutes = limits.minutes
        self._clock = clock
        self._began = clock() - used_seconds
        self._spent = spent or Cost()
        self._open: set[Reservation] = set()
        self._changed = Condition()

    @property
    def usd_limit(self) -> Decimal | None:
        return self._usd

    @property
    def spent(self) -> Cost:
        with self._changed:
            return self._spent

    @property
    def reserved(self) -> Cost:
        with self._changed:
            return self._held()

    @property
    def used_seconds(self) -> float:
        return self._clock() - self._began

    @property
    def seconds_left(self) -> float:
        """Seconds until the minutes are used up; infinity without such a limit."""
        return math.inf if self._minutes is None else self._minutes * 60 - self.used_seconds

    def reserve(self, worst: Cost, *, what: str = "the next call") -> Reservation:
        """Hold the worst case of a call, waiting for calls in flight where that may help.

        Raise BudgetExhausted where it does not fit even once they have all come back for
        nothing, or where the minutes are over.
        """
        with self._changed:
            while True:
                self._refuse_what_cannot_fit(worst, what)
                if not self._lacking(self._spent + self._held() + worst):
                    reservation = Reservation(worst)
                    self._open.add(reservation)
                    return reservation
                self._changed.wait()

    def refuse_when_over(self) -> None:
        """Raise BudgetExhausted where the minutes are over."""
        if self.seconds_left <= 0:
            raise _exhausted(f"the {self._minutes:g} minutes of the budget are over", "+60minutes")

    def settle(self, reservation: Reservation, actual: Cost) -> None:
        """Turn a reservation into what the call really took."""
        with self._changed:
            self._open.remove(reservation)
            self._spent += actual
            self._changed.notify_all()

    def release(self, reservation: Reservation) -> None:
        """Give a reservation back: the call was not made."""
        self.settle(reservation, Cost())

    def top_up(self, more: TopUp) -> None:
        """Raise the limits; what has no limit stays without."""
        with self._changed:
            self._usd = None if self._usd is None else self._usd + more.usd
            self._tokens = None if self._tokens is None else self._tokens + more.tokens
            self._calls = None if self._calls is None else self._calls + more.calls
            self._minutes = None if self._minutes is None else self._minutes + more.minutes
            self._changed.notify_all()

    def _held(self) -> Cost:
        return sum((r.worst for r in self._open), Cost())

    def _lacking(self, total: Cost) -> str:
        """The first limit that a total would break, "" where it fits."""
        if self._usd is not None and total.usd > self._usd:
            return "usd"
        if self._tokens is not None and total.tokens > self._tokens:
            return "tokens"
        if self._calls is not None and total.calls > self._calls:
            return "calls"
        return ""

    def _refuse_what_cannot_fit(self, worst: Cost, what: str) -> None:
        self.refuse_when_over()
        kind = self._lacking(self._spent + worst)
        if kind == "usd" and self._usd is not None:
            left = max(self._usd - self._spent.usd, Decimal(0))
            more = max((worst.usd - left).to_integral_value(ROUND_CEILING), Decimal(2))
            raise _exhausted(
                f"{what} needs up to {_dollars(worst.usd, ROUND_CEILING)}, and "
                f"{_dollars(left, ROUND_FLOOR)} of the budget of "
                f"{_dollars(self._usd, ROUND_FLOOR)} is left",
                f"+{more}usd",
            )
        if kind == "tokens" and self._tokens is not None:
            left_tokens = max(self._tokens - self._spent.tokens, 0)
            raise _exhausted(
                f"{what} needs up to {worst.tokens:,} tokens, and {left_tokens:,} of the budget "
                f"of {self._tokens:,} tokens are left",
                f"+{math.ceil((worst.tokens - left_tokens) / 100_000) * 100_000}tokens",
            )
        if kind == "calls":
            raise _exhausted(f"all {self._calls} calls of the budget are used", "+50calls")


def _exhausted(what: str, more: str) -> BudgetExhausted:
    return BudgetExhausted(what, hint=f"`/repowright budget {more}` goes on")


def _dollars(value: Decimal, rounding: str) -> str:
    """Cents where they say enough, else as many digits as the amount needs, up to six."""
    for digits in (2, 4, 6):
        step = Decimal(1).scaleb(-digits)
        if value >= step * 100 or value == value.quantize(step):
            return f"${value.quantize(step, rounding=rounding)}"
    return f"${value.quantize(Decimal('0.000001'), rounding=rounding)}"
