"""Experiences as JSON lines, to carry them from one installation to another."""

import re
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from bot.base import Data, RepowrightError
from bot.experience.families import families
from bot.experience.wording import is_plain
from bot.ports.experience import Experience, Kept, Tally

_LONGEST_LINE = 20_000
_WORD = re.compile(r"[a-z0-9_]{1,40}")


class Entry(Data):
    """One line. Which repository taught it is left behind."""

    experience: Experience
    tally: Tally = Tally()
    retired: bool = False


def lines_of(kept: Iterable[Kept]) -> Iterator[str]:
    """One line each, without line ends."""
    for entry in kept:
        if entry.experience is not None:
            yield Entry(
                experience=entry.experience, tally=entry.tally, retired=entry.retired
            ).model_dump_json()


def entries_of(lines: Iterable[str], where: str) -> tuple[Entry, ...]:
    """What the lines hold; raise RepowrightError, naming the line, where one is no experience or
    holds more than prose. They end up in prompts, so nothing else may come in with them."""
    return tuple(
        _entry(line, f"{where}:{number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _entry(line: str, where: str) -> Entry:
    if len(line) > _LONGEST_LINE:
        raise RepowrightError("this line is too long for an experience", where=where)
    try:
        entry = Entry.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise RepowrightError(
            f"this is no experience: {place}: {first['msg']}",
            where=where,
            hint="give a file that `repowright experience export` wrote",
        ) from error
    _refuse_more_than_prose(entry.experience, where)
    return entry


def _refuse_more_than_prose(experience: Experience, where: str) -> None:
    known = {family.name for family in families()}
    prose = is_plain(experience.scenario) and is_plain(experience.strategy)
    words = all(_WORD.fullmatch(word) for word in experience.signal)
    if not (prose and words and experience.family in known):
        raise RepowrightError(
            "this experience holds code, names or a family that is not known",
            where=where,
            hint="take the line out; experiences are plain sentences",
        )
