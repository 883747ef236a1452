"""How many runs may start within a day, in a repository and by one person: what stops a label that
a script sets on every issue."""

from bot.phases.texts import say
from bot.runs.place import Place
from bot.runs.starts import Starts
from bot.runs.trigger import Go

# So many issues of a repository are told within a day that no run starts; more would be a flood.
_MOST_ANSWERS = 10


def may_start(go: Go, issue: int, place: Place, starts: Starts, *, anew: bool = False) -> bool:
    """Whether the run may start, `anew` where the issue has had one; where it may not, the issue
    is told once."""
    ceilings = place.settings.ceilings
    full = starts.admit(place.repository, issue, go.by, go.since, ceilings)
    if full is None:
        return True
    if full.told <= _MOST_ANSWERS and not place.forge.issue(issue).locked:
        again = f"{full.again:%Y-%m-%d %H:%M} UTC"
        text = say(f"answer_starts_of_{full.of}", count=full.count, person=go.by, again=again)
        if not anew:
            text = f"{text} {say('answer_starts_by_label')}"
        if full.told == _MOST_ANSWERS:
            text = f"{text}\n\n{say('answer_starts_no_more', count=full.told)}"
        place.forge.comment(f"rw{issue}:full.{full.again:%Y%m%d}", issue, text)
    return False
