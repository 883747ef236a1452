"""Look over a repository for what no delivery told: at the start, and now and then."""

import logging
from datetime import timedelta
from typing import Literal

from bot.phases.record import load
from bot.phases.steering import commands_of
from bot.ports.git import GitError
from bot.runs.events import Commanded, Event, Labelled, Swept, Woken
from bot.runs.place import Desk, Place
from bot.runs.start import is_over, run_files, run_ref

_log = logging.getLogger("repowright.runs")

Standing = Literal["none", "going", "done"]
"""Whether a ref holds no run, one that goes on, or one that has ended or cannot be read."""

# Our clock and the forge's differ, and its lists lag behind.
_OVERLAP = timedelta(minutes=15)


def sweep(cause: Swept, place: Place, desk: Desk) -> None:
    """Queue the events that lost deliveries would have made: labelled issues without a run, runs
    that have not ended, comments with commands since the last sweep. Any may come twice."""
    began = desk.clock()
    since = desk.index.heard_until(place.repository, began)
    origin = {"repository": place.repository, "installation": cause.installation}
    refs = place.scout.run_refs()
    if refs:
        place.git.fetch()
    standing = {n: _standing(n, commit, place, desk) for n, commit in refs.items()}
    events: list[Event] = [
        Labelled.model_validate({**origin, "issue": number, "sender": label.by, "at": label.at})
        for number in place.scout.labelled(place.settings.label)
        if standing.get(number, "none") == "none"
        if (label := place.scout.labelling(number, place.settings.label)) and not label.by_bot
    ]
    events += [
        Woken.model_validate({**origin, "issue": number, "why": "swept"})
        for number, found in standing.items()
        if found == "going"
    ]
    events += [
        Commanded.model_validate(
            {**origin, "number": said.number, "on_pull": said.on_pull, "comment": said.id}
        )
        for said in place.scout.sayings(since)
        if said.created_at >= since
        and not said.edited
        and commands_of(said.body, place.settings.command)
    ]
    for event in events:
        desk.inbox.put(event)
    desk.index.heard(place.repository, began - _OVERLAP)


def _standing(number: int, commit: str, place: Place, desk: Desk) -> Standing:
    """What became of a ref's run; the ref is read where the index does not know its commit."""
    if desk.index.has_ended(place.repository, number, commit):
        return "done"
    files = run_files(number, place.git)
    if files is None:
        return "none"
    try:
        state, _ = load(files, run_ref(number))
    except GitError as error:
        _log.warning("%s: %s", place.repository, error.sentence)
        return "done"
    if not is_over(state):
        return "going"
    desk.index.keep(place.repository, state, desk.clock(), commit)
    return "done"
