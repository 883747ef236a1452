"""The matrix: a run without a fault tells which requests there are; each case strikes one."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.bench.faults.ending import Ending, differences, ending_of, run_state
from bot.bench.faults.kinds import Kind, Request, Strike
from bot.bench.faults.player import ISSUE
from bot.bench.faults.world import Story, World
from bot.forge.github.credentials import Credentials
from bot.runs.start import is_over, run_ref

_LEGS = 2
_MOST_STAGES = 12
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


class Told(Data):
    """How one case came out. `request` is what was struck; `starts` is how often the bot's process
    was started; `wrong` says what differs from the run without a fault, empty where it held."""

    case: Case
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
                strike = Strike(kind=kind, write=write, later=later)
                yield Case(story=story, stage=number, strike=strike)


def _places(stage: Stage, own: str) -> list[tuple[int, int]]:
    """(number of a write, reads after it) of the writes whose name holds `own`."""
    requests = stage.requests
    at = [n for n, request in enumerate(requests) if request.is_write]
    ends = [*at[1:], len(requests)]
    return [
        (write, end - start - 1)
        for write, (start, end) in enumerate(zip(at, ends, strict=True))
        if own in requests[start].name
    ]


def tell(case: Case, reference: Reference) -> Told:
    """Play one case from its stage on and hold its end against the reference's."""
    with tempfile.TemporaryDirectory(prefix="repowright-faults-") as folder:
        here = Path(folder) / "world"
        shutil.copytree(reference.stages[case.stage].folder, here)
        with World(here, case.story, reference.credentials, case.strike) as world:
            ended = world.played()
            wrong = differences(reference.ending, _ending(world))
            if not ended:
                wrong.insert(0, f"the run has not ended after {world.starts} starts")
            if not world.proxy.struck:
                wrong.insert(0, "there was no such request")
            return Told(
                case=case,
                request=world.proxy.struck,
                starts=world.starts,
                wrong=tuple(wrong),
            )


def _ending(world: World) -> Ending:
    return ending_of(world.store, world.repository, world.asked, run_ref(ISSUE))
