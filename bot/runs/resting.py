"""A run that can do nothing for now: the index knows why, and people are told where that is
possible. docs/life.md says what they can do."""

import logging
from contextlib import suppress
from typing import Literal

from bot.base import RepowrightError
from bot.markdown import defuse
from bot.phases.record import StateUnreadable
from bot.phases.texts import say
from bot.ports.forge import Forge, Unavailable
from bot.runs.inbox import Address
from bot.runs.place import Desk, Place

_log = logging.getLogger("repowright.runs")


def rest(address: Address, error: Unavailable, place: Place | None, desk: Desk) -> None:
    """May be repeated. A missing permission is told on the issue, once, for others may be there;
    an archived repository and a suspended App take no word."""
    issue = address.issue or None
    desk.index.rest(address.repository, error.bar, desk.clock(), issue)
    if issue is None or place is None or error.bar != "forbidden":
        return
    text = say("answer_resting", problem=defuse(error.sentence))
    with suppress(RepowrightError):
        place.forge.comment(f"rw{issue}:resting", issue, text)


def tell_trouble(
    kind: Literal["cannot_start", "stuck"], issue: int, error: RepowrightError, forge: Forge
) -> None:
    """Tell an issue once that its run cannot start, or cannot go on, and why. May be repeated."""
    text = say(f"answer_{kind}", problem=defuse(error.sentence))
    try:
        forge.comment(f"rw{issue}:{kind.replace('_', '-')}", issue, text)
    except RepowrightError as another:
        _log.warning("issue %d cannot be told: %s", issue, another.sentence)


def tell_unreadable(issue: int, error: StateUnreadable, forge: Forge) -> None:
    """Somebody else wrote to the run's ref, or took its files away."""
    with suppress(RepowrightError):
        text = say("answer_unreadable", ref=error.where)
        forge.comment(f"rw{issue}:unreadable", issue, text)
