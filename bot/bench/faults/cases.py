"""The matrix: a run without a fault tells which requests there are; each case strikes one."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.bench.faults.ending import Ending, differences, ending_of, run_state
from bot.bench.faults.kinds import STALLS, Kind, Post, Request, Strike
from bot.bench.faults.player import ISSUE
from bot.bench.faults.postman import LOST_OF
from bot.bench.faults.served import ServedWorld
from bot.bench.faults.world import Story, World
from bot.forge.github.credentials import Credentials
from bot.runs.start import is_over, run_ref

_LEGS = 2
_MOST_STAGES = 12
_EVERY = 6
# What a story is told for: the writes of which the first one has none.
_OWN_WRITES = {
    Story.APP: "",
    Story.WORKFLOW: "/dispatches",
    Story.PERSON: "statuses/",
}


class Stage(Data):
    """A world as it was before so many legs were gone, in a folder, and the requests that the bot
    makes from there until the next stage."""

    folder: Path
    requests: tuple[Request, ...]


class Reference(Data):
    """A run of a story that nothing strikes, in stages."""

    story: Story
    credentials: Credentials
    stages: tuple[Stage, ...]
    ending: dict[str, tuple[str, ...]]


class Case(Data):
    story: Story
    stage: int
    strike: Strike


class ServedCase(Data):
    """A whole run by a server; `first` is the seed of what becomes of its post."""

    post: Post = Post.AT_ONCE
    first: int = 0
    strike: Strike | None = None


class Told(Data):
    """How one case came out. `kind` is the kind of fault, and `place` where it was; `request` is
    what was struck; `starts` is how often the bot's process
    was started; `wrong` says what differs from the run without a fault, empty where it held."""

    kind: str
    place: str
    request: str
    starts: int
    wrong: tuple[str, ...]

    @property
    def held(self) -> bool:
        return not self.wrong


def reference(story: Story, folder: Path) -> Reference:
    """Play a story in `folder`, where its stages stay; raise RepowrightError where the run does
    not even end without a fault."""
    stages: list[Stage] = []
    here = folder / "played"
    with World(here, story) as world:
        credentials = world.credentials
    while len(stages) < _MOST_STAGES:
        before = folder / str(len(stages))
        shutil.copytree(here, before)
        with World(here, story, credentials) as world:
            world.played(_LEGS)
            stages.append(Stage(folder=before, requests=tuple(world.proxy.seen)))
            state = run_state(world.store, world.repository, run_ref(ISSUE))
            if state is not None and is_over(state):
                ending = dict(_ending(world))
                return Reference(
                    story=story, credentials=credentials, stages=tuple(stages), ending=ending
                )
    raise RepowrightError("a run without a fault does not end", where=story)


def cases_of(reference: Reference, kinds: Sequence[Kind]) -> Iterator[Case]:
    """One case for each kind and write; between two writes the process is killed in the middle of
    what it reads, or right after the first of them."""
    story = reference.story
    for kind in kinds:
        if kind is Kind.EXPIRED and story is not Story.APP:
            continue
        for number, stage in enumerate(reference.stages):
            for write, reads in _places(stage, _OWN_WRITES[story]):
                later = reads // 2 if kind is Kind.KILLED_BETWEEN else 0
                strike = Strike(kind=kind, write=write, later=later, name=_OWN_WRITES[story])
                yield Case(story=story, stage=number, strike=strike)


def _places(stage: Stage, own: str) -> list[tuple[int, int]]:
    """(number, reads after it) of the writes whose name holds `own`, counted among themselves."""
    requests = stage.requests
    at = [n for n, request in enumerate(requests) if request.is_write]
    gaps = zip(at, [*at[1:], len(requests)], strict=True)
    mine = [(start, end) for start, end in gaps if own in requests[start].name]
    return [(number, end - start - 1) for number, (start, end) in enumerate(mine)]


def tell(case: Case, reference: Reference) -> Told:
    """Play one case from its stage on and hold its end against the reference's."""
    with tempfile.TemporaryDirectory(prefix="repowright-faults-") as folder:
        here = Path(folder) / "world"
        shutil.copytree(reference.stages[case.stage].folder, here)
        with World(here, case.story, reference.credentials, case.strike) as world:
            place = f"{case.story}.{case.stage}.{case.strike.write}"
            return _told(case.strike.kind, place, case.strike, world, reference.ending)


def served_reference(folder: Path) -> Reference:
    """A whole run by a server that nothing strikes; raise RepowrightError where it does not end."""
    with ServedWorld(folder / "served") as world:
        if not world.played() or world.starts > 1:
            raise RepowrightError("a run without a fault does not end", where="serve")
        stage = Stage(folder=world.folder, requests=tuple(world.proxy.seen))
        ending = dict(_ending(world))
        return Reference(
            story=Story.APP, credentials=world.credentials, stages=(stage,), ending=ending
        )


def served_cases(reference: Reference, kinds: Sequence[str]) -> Iterator[ServedCase]:
    """Each post of the kinds, with each fifth lost once; and each kind at some of the writes, other
    ones for each kind. Requests cannot stall here: a server's patience is no setting."""
    for post in Post:
        if post in kinds:
            lost = range(LOST_OF) if post is Post.DROPPED else range(1)
            yield from (ServedCase(post=post, first=first) for first in lost)
    places = _places(reference.stages[0], "")
    struck = [kind for kind in Kind if kind in kinds and kind not in STALLS]
    for number, kind in enumerate(struck):
        for write, reads in places[number % _EVERY :: _EVERY]:
            later = reads // 2 if kind is Kind.KILLED_BETWEEN else 0
            yield ServedCase(strike=Strike(kind=kind, write=write, later=later))


def tell_served(case: ServedCase, reference: Reference) -> Told:
    """Play one whole run by a server and hold its end against the reference's."""
    with tempfile.TemporaryDirectory(prefix="repowright-faults-") as folder:
        here = Path(folder) / "world"
        with ServedWorld(here, case.post, case.strike, first=case.first) as world:
            kind = case.strike.kind if case.strike else case.post
            place = f"serve.{case.strike.write if case.strike else case.first}"
            return _told(kind, place, case.strike, world, reference.ending)


def _told(kind: str, place: str, strike: Strike | None, world: World, expected: Ending) -> Told:
    ended = world.played()
    wrong = differences(expected, _ending(world))
    if not ended:
        wrong.insert(0, f"the run has not ended after {world.starts} starts")
    if strike is not None and not world.proxy.struck:
        wrong.insert(0, "there was no such request")
    return Told(
        kind=kind,
        place=place,
        request=world.proxy.struck,
        starts=world.starts,
        wrong=tuple(wrong),
    )


def _ending(world: World) -> Ending:
    return ending_of(world.store, world.repository, world.asked, run_ref(ISSUE))
