"""The state of a run: where it stands, what it has seen, what it waits for. Immutable."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from bot.base import Data, Outcome
from bot.checks.report import Report
from bot.config import Settings
from bot.phases.tally import Ceiling, Tally
from bot.ports.experience import Effect
from bot.state.model import ProjectState
from bot.verify.tools.counting import ToolCalls


class Phase(StrEnum):
    OPEN = "open"
    ARCHITECTURE = "architecture"
    SKELETON = "skeleton"
    CODE = "code"
    CHECK = "check"
    DELIVER = "deliver"
    DONE = "done"


class Sight(StrEnum):
    """What is in the way of the check that a run waits for: nothing that is known, a workflow that
    is not on the branch (`missing`), or one that somebody has to run again or allow (`stopped`)."""

    NONE = "none"
    MISSING = "missing"
    STOPPED = "stopped"


class Wait(Data):
    """What has to happen before the next leg: nothing, a check run's end, a person's word. Every
    wait but for nothing ends at `until`, with an outcome of its own. The `gate` of a person is that
    of a phase, or `label`, which somebody took away. A check was started by the bot (`dispatched`),
    or could not be when it last tried, at `refused`."""

    kind: Literal["nothing", "check", "person"] = "nothing"
    commit: str = ""
    gate: str = ""
    since: datetime | None = None
    until: datetime | None = None
    dispatched: bool = False
    refused: datetime | None = None
    sight: Sight = Sight.NONE


FactKind = Literal["gone", "locked", "edited", "conflict", "closed", "workflow"]


class Fact(Data):
    """Something about the run's surroundings that people are told as long as it holds."""

    kind: FactKind
    text: str


class Trip(Data):
    """The ceiling that stopped the run, and what the run waited for when it did."""

    ceiling: Ceiling
    count: int
    limit: int
    wait: Wait


class Round(Data):
    """One iteration as people see it. Costs and seconds are of this round alone. Of a code round,
    `files` and `failures` are fingerprints of the tree and of what failed, `kept` says whether the
    best commit is this one now, `gained` by how many passing tests that is better, and `note` names
    tests that it loses."""

    phase: Phase
    iteration: int
    commit: str
    verdict: Literal["pass", "revise", "unverified"]
    faults: int = 0
    tests_passed: int | None = None
    tests_total: int | None = None
    usd: float = 0.0
    calls: int = 0
    seconds: float = 0.0
    review: str = ""
    note: str = ""
    files: str = ""
    failures: str = ""
    kept: bool = True
    gained: int = 0


class Best(Data):
    """The best commit so far, by check tests, with what its check said."""

    commit: str
    report: Report

    @property
    def passed(self) -> int:
        return self.report.passed

    @property
    def total(self) -> int:
        return self.report.passed + self.report.failed


class Learning(Data):
    """What experience did in one round of repair: ids of what was given before it and of what it
    taught, what the round came to, and how many check tests passed before and after."""

    iteration: int
    given: tuple[str, ...] = ()
    taught: tuple[str, ...] = ()
    effect: Effect
    passed: tuple[int, int]


class Steer(Data):
    """A person's wish for the next round."""

    author: str
    text: str
    path: str | None = None
    line: int | None = None


class Shown(Data):
    """How much of the project one call was shown (mechanism 15): tokens of the context of `paths`,
    estimated, against those of the project's code as it stood after the step."""

    step: str
    paths: tuple[str, ...]
    tokens: int
    project_tokens: int

    @property
    def share(self) -> float:
        return self.tokens / self.project_tokens if self.project_tokens else 0.0


class Seconds(Data):
    """Where the run's time went."""

    total: float = 0.0
    model: float = 0.0
    checks: float = 0.0


class Cause(Data):
    """What one repair target was, as people read of it: in `files`, in the definitions `names`, of
    the change or likely before it; `tests` failed, the first of them saying `says` at `place` (path
    and line), where the code was `line`; `evidence` is what tools say of it, `explanation` what the
    model does. `passing` of the tests pass since."""

    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tests: tuple[str, ...]
    says: str = ""
    place: str = ""
    line: str = ""
    evidence: tuple[str, ...] = ()
    explanation: str = ""
    passing: int = 0


class Mending(Data):
    """One model's edits of one round: why they were made and what they change, as a diff. `result`
    is "" until the check tests have judged the commit that holds them; then `lost` is how many
    passed before and do not pass with it."""

    iteration: int
    causes: tuple[Cause, ...]
    explanation: str = ""
    diff: str
    result: Literal["", "kept", "taken_back"] = ""
    lost: int = 0


class RunState(Data):
    """Everything that a leg needs to go on, but for the spec and the code themselves.

    `seen` holds the ids of comments and reviews that were read; `open_points` what the judge
    found that no tool can see, and `asked` the points that this round put to a model; `approved`
    the gates that a person has opened; `stuck` counts the rounds since anything moved; `tried` are
    the diagnoses of repairs since a test was gained, and `lost` the tests that an earlier commit of
    the run passed and the best one does not; `answering` are the wishes that the commit under check
    is to meet, and `diagnosis` is what the fixer thought when it made that commit.
    `experiences` has an entry for each repair that was judged while experience was on.
    `pull_request` is 0 until there is one. `stopped_in` is the phase that a run ended in, and
    `granted` the iteration at which a person last had it go on. `chosen` are the settings that the
    repository's own file set. `anew` says that somebody (`anew_by`, at `anew_at`) asked for a run
    after this one had ended. `resting` is since when nobody works, for the run has ended or waits
    for a person, and `rested` the seconds of earlier rests: no budget counts them. `origin` says
    whether a spec is built or failing tests of code are mended that the bot did not write; of the
    latter `mendings` are the repairs, `known` is what the static gate said of the code before, and
    `overtaken` says that the base branch has gone on and the run ended for that.
    """

    run_id: str
    repository: str
    issue: int
    title: str
    branch: str
    base_branch: str = ""
    base_commit: str = ""
    head: str = ""
    started: datetime
    settings: Settings
    spec_digest: str
    requirements: tuple[str, ...] = ()
    phase: Phase = Phase.OPEN
    iteration: int = 0
    project: ProjectState = ProjectState()
    pull_request: int = 0
    pull_request_url: str = ""
    issue_url: str = ""
    rounds: tuple[Round, ...] = ()
    best: Best | None = None
    wait: Wait = Wait()
    steering: tuple[Steer, ...] = ()
    open_points: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    stuck: int = 0
    tried: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    answering: tuple[Steer, ...] = ()
    diagnosis: str = ""
    experiences: tuple[Learning, ...] = ()
    notes: tuple[str, ...] = ()
    tools: tuple[ToolCalls, ...] = ()
    shown: tuple[Shown, ...] = ()
    seconds: Seconds = Seconds()
    legs: int = 0
    outcome: Outcome | None = None
    outcome_note: str = ""
    stopped_in: Phase | None = None
    granted: int = 0
    chosen: tuple[str, ...] = ()
    anew: bool = False
    anew_by: str = ""
    anew_at: datetime | None = None
    resting: datetime | None = None
    rested: float = 0.0
    issue_digest: str = ""
    default_branch: str = ""
    facts: tuple[Fact, ...] = ()
    labelled: bool = False
    paused: Wait | None = None
    tally: Tally = Tally()
    tripped: Trip | None = None
    trips: int = 0
    released: tuple[datetime, ...] = ()
    origin: Literal["spec", "failure"] = "spec"
    mendings: tuple[Mending, ...] = ()
    known: tuple[str, ...] = ()
    overtaken: bool = False

    @property
    def ref(self) -> str:
        """The ref that holds the run (design 2)."""
        return f"refs/repowright/{self.issue}"

    @property
    def step(self) -> str:
        """Name of the current iteration, unique in the run: part of marks and call steps."""
        return f"{self.phase}.{self.iteration}"

    def mark(self, what: str) -> str:
        """The mark of one write: run id and step (design 5.1)."""
        return f"{self.run_id}:{what}"

    def code_cap(self) -> int:
        """The last code iteration that the caps allow."""
        return self.granted + self.settings.caps.code(len(self.project.python_files()))

    @property
    def at_rest(self) -> bool:
        """Whether only a person's word makes the run go on."""
        return self.phase is Phase.DONE or self.wait.kind == "person"

    def worked(self, now: datetime) -> float:
        """Seconds since the start without those of rests."""
        resting = (now - self.resting).total_seconds() if self.resting else 0.0
        return (now - self.started).total_seconds() - self.rested - resting

    def at(self, now: datetime) -> "RunState":
        """The state with the clock of its rests started or stopped, as its phase and wait ask."""
        if self.at_rest == (self.resting is not None):
            return self
        if self.resting is None:
            return self.model_copy(update={"resting": now})
        seconds = self.rested + (now - self.resting).total_seconds()
        return self.model_copy(update={"resting": None, "rested": seconds})

    def knows(self, kind: str) -> bool:
        """Whether people are told a fact of this kind."""
        return any(fact.kind == kind for fact in self.facts)

    def telling(self, kind: FactKind, text: str) -> "RunState":
        """The state that tells this fact, or with no text tells none of its kind any more."""
        told = [fact for fact in self.facts if fact.kind != kind or fact.text == text]
        if text and not any(fact.kind == kind for fact in told):
            told.append(Fact(kind=kind, text=text))
        return self.model_copy(update={"facts": tuple(told)})

    def noting(self, note: str) -> "RunState":
        return self.model_copy(update={"notes": (*self.notes, note)})

    def asking(self, gate: str, now: datetime) -> "RunState":
        """The state that waits for a person at a gate."""
        until = now + timedelta(days=self.settings.person_days)
        return self.model_copy(
            update={"wait": Wait(kind="person", gate=gate, since=now, until=until)}
        )

    def checking(self, now: datetime) -> "RunState":
        """The state that waits for the check tests of its head commit."""
        until = now + timedelta(minutes=self.settings.checks.wait_minutes)
        wait = Wait(kind="check", commit=self.head, since=now, until=until)
        waiting = self.model_copy(update={"phase": Phase.CHECK, "wait": wait})
        return waiting.telling("workflow", "")

    def entering(self, phase: Phase) -> "RunState":
        """The state at the first iteration of a phase."""
        return self.model_copy(update={"phase": phase, "iteration": 1, "wait": Wait()})

    def ending(self, outcome: Outcome, note: str) -> "RunState":
        """The state that delivers with this outcome next."""
        return self.telling("workflow", "").model_copy(
            update={
                "stopped_in": self.phase if self.phase is not Phase.DELIVER else self.stopped_in,
                "phase": Phase.DELIVER,
                "wait": Wait(),
                "paused": None,
                "outcome": outcome,
                "outcome_note": note,
            }
        )
