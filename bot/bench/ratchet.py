"""Seeded runs whose repairs break things: does the branch end on the best commit (goal: always),
whatever ends the run? The legs are the product's own; see docs/contracts.md."""

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.base import Data, Outcome, RepowrightError
from bot.bench.datasets import Task
from bot.bench.memory import BOT, MAIN, Killed, MemoryForge, MemoryGit, Silence, Ticking
from bot.bench.parts import artifact_of, passing, results_of, spec_files
from bot.bench.result import BenchResult, Value, share
from bot.bench.tinkerer import Tinkerer
from bot.config import Settings
from bot.doctor.machine import try_sandbox
from bot.forge.embedded.store import Actor
from bot.local import LocalBox, issue_of
from bot.model.scripted import ScriptedModel
from bot.phases.leg import leg
from bot.phases.record import save
from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.phases.tree import texts_of
from bot.ports.git import GitStore
from bot.ports.model import BudgetExhausted, ModelReply, ModelRequest
from bot.runs.start import find_run, new_run
from bot.spec.folder import spec_from_files

SEEDS = 210
ENDINGS = ("limit", "cancelled", "spent", "unchecked", "killed", "retried")
# Seeds whose last repair is worse than the best, so that there is something to take back.
WHOLE = {"whole, limit": 19, "whole, cancelled": 27, "whole, spent": 6, "whole, killed": 27}
_CAP = 8
_MOST_LEGS = 120
# What has no say in which commit is kept takes most of the time.
_UNASKED = ("relations", "retrieval", "gate", "messages", "agenda")


class Ended(Data):
    """How one run came out. `passed` is what the branch's last commit passes, `best` the most that
    any judged commit passes; `worse` counts commits that were kept although they lost as many
    tests as they gained, or more; `agreed` the rounds whose check passed what the files say;
    `returned` says that the branch ends on a commit that takes back what came after the best."""

    ending: str
    outcome: str
    rounds: int
    passed: int
    best: int
    worse: int
    agreed: int
    returned: bool


def bench_ratchet(
    tasks: Sequence[Task], seeds: int = SEEDS, whole_endings: Sequence[str] = tuple(WHOLE)
) -> BenchResult:
    """`seeds` runs in memory with the ratchet, without it, and, where they were stopped for want
    of movement, without stopping; and a few in whole: real git, the embedded GitHub, act and the
    sandbox. Takes no task."""
    start = _Start()
    on = [_Run(start, seed).ended() for seed in range(seeds)]
    off = [_Run(start, seed, ratchet=False).ended() for seed in range(seeds)]
    stopped = [n for n, run in enumerate(on) if run.outcome == Outcome.NO_PROGRESS]
    longer = [_Run(start, seed, stops=False).ended() for seed in stopped]
    whole = list(_whole_runs(whole_endings))
    both = [*on, *whole]
    figures: dict[str, Value] = {
        "runs": len(both),
        "below_best": _below(both),
        "kept_losing": sum(r.worse for r in both),
        "returned": sum(r.returned for r in both),
        "runs_whole": len(whole),
        "agreed": share(sum(r.agreed for r in both), sum(r.rounds for r in both)),
        "below_best_without": _below(off),
        "tests_lost_without": sum(r.best - r.passed for r in off),
        "rounds": sum(r.rounds for r in on),
        "stopped": len(stopped),
        "rounds_saved": sum(b.rounds - on[n].rounds for n, b in zip(stopped, longer, strict=True)),
        "tests_missed": sum(b.passed - on[n].passed for n, b in zip(stopped, longer, strict=True)),
    }
    rows = [_row(ending, on, off) for ending in ENDINGS]
    rows += [_row(ending, [r for r in whole if r.ending == ending], []) for ending in whole_endings]
    return BenchResult(bench="ratchet", figures=figures, tasks=tuple(rows))


def _below(runs: Sequence[Ended]) -> int:
    return sum(r.passed < r.best for r in runs)


def _row(ending: str, on: Sequence[Ended], off: Sequence[Ended]) -> dict[str, Value]:
    ours = [r for r in on if r.ending == ending]
    return {
        "task": ending,
        "runs": len(ours),
        "rounds": sum(r.rounds for r in ours),
        "passed": sum(r.passed for r in ours),
        "best": sum(r.best for r in ours),
        "returned": sum(r.returned for r in ours),
        "below_best": _below(ours),
        "below_best_without": _below([r for r in off if r.ending == ending]) if off else None,
        "kept_losing": sum(r.worse for r in ours),
    }


class _Start:
    """A run up to its skeleton, from which all seeded runs go on."""

    def __init__(self) -> None:
        files = spec_files()
        spec = spec_from_files(files)
        body, committed = issue_of(spec, files, Settings().check_tests)
        self.bodies = (spec.title, body)
        self.git = MemoryGit()
        self.git.branches[MAIN] = self.git.add("", committed, "")
        forge = MemoryForge(self.git, lambda _: None, bodies=self.bodies)
        settings = Settings.model_validate({"caps": {"code_small": _CAP}})
        clock = Ticking()
        self.state, self.spec = new_run(1, settings, forge, self.git, clock)
        services = _services(forge, self.git, ScriptedModel({}), clock)
        while self.state.phase is not Phase.CODE:
            if self.state.phase is Phase.DONE:
                raise RepowrightError(self.state.outcome_note, where="the generated project")
            self.state = leg(self.state, self.spec, services)


def _services(forge: MemoryForge, git: MemoryGit, model: ScriptedModel, clock: Ticking) -> Services:
    silence = Silence()
    return Services(
        forge=forge,
        checks=forge,
        git=git,
        model=model,
        record=silence,
        narrator=silence,
        clock=clock,
        bot_email=BOT,
        check_workflow="",
    )


class _Run:
    """One seeded run in memory, and what is done to it on its way."""

    def __init__(
        self, start: _Start, seed: int, *, ratchet: bool = True, stops: bool = True
    ) -> None:
        self.ending = ENDINGS[seed % len(ENDINGS)]
        self._rng = random.Random(seed)  # noqa: S311
        self._git = start.git.copy()
        self._forge = MemoryForge(self._git, self._check, bodies=start.bodies)
        self._spec = start.spec
        settings = Settings.model_validate(
            {
                "caps": {"code_small": _CAP, **({} if stops else {"no_progress_rounds": 0})},
                "switches": {**dict.fromkeys(_UNASKED, False), "ratchet": ratchet},
            }
        )
        legs = start.state.legs + 1
        self._state = start.state.model_copy(update={"settings": settings, "legs": legs})
        self._when = self._rng.randrange(2, 14)
        model = _Purse(Tinkerer(seed), 6 + self._when if self.ending == "spent" else None)
        self._services = _services(self._forge, self._git, model, Ticking())
        save(self._state, self._spec, self._services)

    def ended(self) -> Ended:
        if self.ending == "killed":
            self._git.kill_at = self._rng.randrange(20)
        self._go(self._when if self.ending == "cancelled" else _MOST_LEGS)
        if self.ending == "retried":
            self._forge.said.append("/repowright retry")
            self._go(self._rng.randrange(1, 4))
        if self._state.phase is not Phase.DONE:
            self._forge.said.append("/repowright cancel")
            self._go(_MOST_LEGS)
        return measured(self.ending, self._state, self._git)

    def _go(self, legs: int) -> None:
        """So many legs, or until the run is over."""
        for _ in range(legs):
            try:
                self._state = leg(self._state, self._spec, self._services)
            except Killed:
                self._git.kill_at = self._rng.randrange(20)
                found = find_run(1, self._git)
                if found is not None:
                    self._state, self._spec = found
                continue
            if self._state.phase is Phase.DONE:
                return

    def _check(self, commit: str) -> bytes | None:
        """The check of a commit; one of an `unchecked` run never ends."""
        judged = [r.commit for r in self._state.rounds if r.phase is Phase.CODE]
        if self.ending == "unchecked" and len(judged) >= self._when // 2:
            return None
        return artifact_of(texts_of(self._git.read(commit)))


class _Purse(ScriptedModel):
    """A tinkerer whose budget is spent after so many calls."""

    def __init__(self, tinkerer: Tinkerer, calls: int | None) -> None:
        super().__init__({"*": tinkerer})
        self._calls = calls

    def complete(self, request: ModelRequest, *_: object) -> ModelReply:
        if self._calls is not None and len(self.requests) >= self._calls:
            raise BudgetExhausted("the budget is spent")
        return super().complete(request)


def measured(ending: str, state: RunState, git: GitStore) -> Ended:
    """What the branch of an ended run passes, told from the text of its files."""

    def passes(commit: str) -> frozenset[str]:
        return passing(results_of(texts_of(git.read(commit))))

    rounds = [r for r in state.rounds if r.phase is Phase.CODE]
    judged = [passes(r.commit) for r in rounds]
    worse, best = 0, judged[0] if judged else frozenset()
    for round_, now in list(zip(rounds, judged, strict=True))[1:]:
        if round_.kept:
            worse += bool(best - now) and len(now - best) <= len(best - now)
            best = now
    head = git.head(state.branch) or state.head
    return Ended(
        ending=ending,
        outcome=state.outcome or "",
        rounds=len(rounds),
        passed=len(passes(head)) if judged else 0,
        best=max(map(len, judged), default=0),
        worse=worse,
        agreed=sum(r.tests_passed == len(p) for r, p in zip(rounds, judged, strict=True)),
        returned=bool(rounds) and head not in [r.commit for r in rounds],
    )


def _whole_runs(endings: Sequence[str]) -> Iterator[Ended]:
    """Runs in a box: nothing is stood in for but the model. None where there is no sandbox."""
    try:
        try_sandbox()
    except RepowrightError:
        return
    for ending in endings:
        with tempfile.TemporaryDirectory(prefix="repowright-bench-") as folder:
            yield _whole_run(Path(folder) / "out", ending)


def _whole_run(out: Path, ending: str) -> Ended:
    budget = {"calls": 4} if ending.endswith("spent") else {}
    settings = Settings.model_validate({"caps": {"code_small": 3}, "budget": budget})
    model = ScriptedModel({"*": Tinkerer(WHOLE[ending])})
    with LocalBox(out) as box:
        box.open_issue(spec_files(), "parts", settings)
    state: RunState | None = None
    steps = {"cancelled": (6, None), "killed": (1,) * 20}.get(ending.split()[-1], (None,))
    for legs in steps:
        with LocalBox(out) as box:
            if state is not None and ending.endswith("cancelled"):
                _cancel(box)
            state, services = box.go(model, Silence(), wait=False, legs=legs)
            ended = measured(ending, state, services.git)
        if state.phase is Phase.DONE:
            break
    return ended


def _cancel(box: LocalBox) -> None:
    """The maintainer says so on the issue."""
    store = box.github.store
    (repository,) = store.repositories.all()
    issue = store.issues.find(repository, 1)
    if issue is not None:
        maintainer = Actor(store.accounts.by_login("maintainer"))
        store.issues.comment(repository, issue, maintainer, "/repowright cancel")
