"""The kinds of fault, and at which moment of which request one strikes."""

from enum import StrEnum

from bot.base import Data


class Kind(StrEnum):
    """What goes wrong. Of a `late` one the server acts when the client has given up; the killed
    ones end the bot's process with SIGKILL: before the server acts, when it has acted and not
    answered, and between two writes."""

    DROPPED_BEFORE = "dropped_before"
    DROPPED_AFTER = "dropped_after"
    CUT_SHORT = "cut_short"
    SERVER_ERROR = "500"
    BAD_GATEWAY = "502"
    BAD_GATEWAY_AFTER = "502_after"
    LIMITED = "403_limit"
    EXPIRED = "401_expired"
    LATE = "stall_late"
    UNANSWERED = "stall_after"
    KILLED_BEFORE = "killed_before"
    KILLED_AFTER = "killed_after"
    KILLED_BETWEEN = "killed_between"


STALLS = frozenset({Kind.LATE, Kind.UNANSWERED})


class Post(StrEnum):
    """What becomes of webhook deliveries on their way: all at once, each twice, the last one
    first, each some seconds late, or every fifth of them never."""

    AT_ONCE = "at_once"
    DOUBLED = "deliveries_doubled"
    REVERSED = "deliveries_reversed"
    DELAYED = "deliveries_delayed"
    DROPPED = "deliveries_dropped"


class Strike(Data):
    """One fault at a request: of the writes whose name holds `name` the one of this number, counted
    from 0, or the request that comes so many `later`. Reads are not counted from the start: how
    often a run looks whether its check has ended is a matter of time."""

    kind: Kind
    write: int
    later: int = 0
    name: str = ""

    def counts(self, request: "Request") -> bool:
        return request.is_write and self.name in request.name


class Request(Data):
    """A request as the proxy saw it; `name` leaves numbers and ids out, so that it is the same in
    every run."""

    name: str
    is_write: bool
