"""What changes which repositories there are: told to the index and the inbox, worked by no run."""

import logging

from bot.runs.events import BaseMoved, Event, Found, Lost, Renamed, Swept, Woken
from bot.runs.events import News as AnyNews
from bot.runs.place import Desk

_log = logging.getLogger("repowright.runs")


def take_in(event: Event | AnyNews, desk: Desk) -> None:
    """Put an event where a run hears of it. May be repeated."""
    match event:
        case Lost():
            for repository in event.repositories:
                _log.warning("%s: runs rest, for it is %s", repository, event.bar)
                desk.index.rest(repository, event.bar, desk.clock())
        case Found():
            for repository in event.repositories:
                desk.inbox.put(Swept(repository=repository, installation=event.installation))
        case Renamed():
            _rename(event, desk)
        case BaseMoved():
            place = {"repository": event.repository, "installation": event.installation}
            for issue in desk.index.going(event.repository):
                desk.inbox.put(Woken.model_validate({**place, "issue": issue, "why": event.kind}))
        case _:
            desk.inbox.put(event)


def _rename(event: Renamed, desk: Desk) -> None:
    """Runs go on under the new name; what goes on under the former one ends."""
    _log.warning("%s is %s now", event.former, event.repository)
    desk.index.rename(event.former, event.repository)
    for going in desk.inbox.going():
        if going.address.repository == event.former.lower():
            desk.inbox.close(going.address, going.generation, leaving=True)
    desk.inbox.put(Swept(repository=event.repository, installation=event.installation))
