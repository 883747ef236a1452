"""Whether an iteration is kept: what it gains and loses, told test by test (mechanism 69). Pure."""

from collections.abc import Collection, Iterable

from bot.base import Data
from bot.checks.report import Report, TestOutcome, TestResult
from bot.phases.fingerprint import fingerprint
from bot.phases.texts import say

# The exception of a test that the code took away; see `honest`.
GONE = "Gone"


class Step(Data):
    """What an iteration did to the best so far. `gained` and `lost` are test ids, sorted; `moved`
    says that something changed that a next round can build on, `wanted` that a person asked for
    the commit or made it; `why` is a sentence."""

    kept: bool
    moved: bool
    wanted: bool = False
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    why: str


def judge_iteration(
    before: Report | None,
    after: Report,
    *,
    seen: Collection[str] = (),
    wanted: bool = False,
) -> Step:
    """The rule. `before` is the best commit's report, None for the first; `after` is `honest`.

    Lost is a test that passed before and does not pass now, whether it fails, is skipped, is gone,
    was not run or hides behind an import that broke. Gained is one that passes now and did not
    before; a test that never ran could not be lost, and is gained once it passes.

    | against the best                                     | kept | moved |
    |------------------------------------------------------|------|-------|
    | gains more tests than it loses                       | yes  | yes   |
    | loses as many as it gains, or more                   | no   | no    |
    | gains none, loses none, and                          |      |       |
    | - more tests could run (imports mended, no crash)    | yes  | yes   |
    | - fewer tests could run                              | no   | no    |
    | - nothing failed before, and now something does      | no   | no    |
    | - tests fail in a way not seen since the last gain   | yes  | yes   |
    | - all pass                                           | yes  | no    |
    | - they fail as before, or as in a round before       | no   | no    |

    Where a person wanted the commit (`wanted`) nothing but a loss speaks against it. A test that
    differs from run to run counts as it came out, since nothing is run twice. `seen` are the
    fingerprints of the rounds since the last gain. The branch ends on the best, so by the first
    two rows it never ends with fewer passing tests than any commit had.
    """
    if before is None:
        gained = sorted(_passing(after))
        return Step(kept=True, moved=True, gained=tuple(gained), why=say("step_first"))
    now = _aligned(before, after)
    old, new = _passing(before), _passing(now)
    gained, lost = sorted(new - old), sorted(old - new)
    counts = {"gained": len(gained), "lost": len(lost)}
    if gained or lost:
        better = len(gained) > len(lost)
        key = ("step_gain_with_loss" if lost else "step_gain") if better else "step_loss"
        return Step(
            kept=better,
            moved=better,
            gained=tuple(gained),
            lost=tuple(lost),
            why=say(key, **counts),
        )
    return _without_change(before, after, seen, wanted)


def _without_change(before: Report, after: Report, seen: Collection[str], wanted: bool) -> Step:
    """The rows for an iteration that gains none and loses none."""
    if _unseen(after) < _unseen(before):
        return Step(kept=True, moved=True, why=say("step_further"))
    if _unseen(after) > _unseen(before) and not wanted:
        return Step(kept=False, moved=False, why=say("step_hides"))
    if before.green and not after.green and not wanted:
        return Step(kept=False, moved=False, why=say("step_new_failures"))
    now = fingerprint(after)
    if now != fingerprint(before) and now not in seen:
        return Step(kept=True, moved=True, why=say("step_other_failures"))
    if wanted or after.green:
        return Step(kept=True, moved=False, why=say("step_as_good"))
    return Step(kept=False, moved=False, why=say("step_same_failures"))


def honest(before: Report | None, after: Report) -> Report:
    """`after` with an error for each test that ran before and that the code took away: that is
    skipped now, or gone from a file that can still be read. So a report is never green, and no
    failure is ever over, because tests are no longer run.

    A test is its function here: parameters may come from the code, and change with it.
    """
    if before is None or not after.collected:
        return after
    unread = {t.id for t in after.tests if "::" not in t.id and t.outcome is TestOutcome.ERROR}
    running = {_function(t.id) for t in after.tests if t.outcome is not TestOutcome.SKIPPED}
    ran = {_function(t.id) for t in before.tests if _ran(t)}
    taken = {f for f in ran - running if f.partition("::")[0] not in unread}
    if not taken:
        return after
    kept = tuple(t for t in after.tests if _function(t.id) not in taken)
    return after.model_copy(update={"tests": (*kept, *(_gone(f) for f in sorted(taken)))})


def _ran(test: TestResult) -> bool:
    """Whether a test had its turn; a file that could not be imported is no test."""
    return "::" in test.id and test.outcome is not TestOutcome.SKIPPED


def _gone(function: str) -> TestResult:
    return TestResult(
        id=function, outcome=TestOutcome.ERROR, exception=GONE, message=say("test_gone")
    )


def without(report: Report, paths: Iterable[str]) -> Report:
    """The report without the tests of some files: where a person changed a check test, what it
    said before is no measure."""
    changed = frozenset(paths)
    kept = tuple(t for t in report.tests if t.id.partition("::")[0] not in changed)
    return report.model_copy(update={"tests": kept})


def still_lost(known: Iterable[str], step: Step, best: Report) -> tuple[str, ...]:
    """Tests that a kept iteration lost and that the best has not won back."""
    return tuple(sorted({*known, *step.lost} - _passing(best)))


def _passing(report: Report) -> frozenset[str]:
    return frozenset(t.id for t in report.tests if t.outcome is TestOutcome.PASSED)


def _unseen(report: Report) -> tuple[bool, int, int]:
    """How much of the check tests had no turn, in the order in which it weighs: everything; files
    that cannot be imported, which hold who knows how many; tests that a crash left out."""
    files = sum("::" not in t.id and t.outcome is TestOutcome.ERROR for t in report.tests)
    return not report.collected, files, sum(t.exception == "NotRun" for t in report.tests)


def _function(id_: str) -> str:
    """A test's id without its parameters."""
    return id_.partition("[")[0]


def _aligned(before: Report, after: Report) -> Report:
    """`after` with the ids of `before` where a function's parameters are only named otherwise,
    for some hold what differs from run to run. Passing ones are matched with passing ones."""
    gone, come = _by_function(before, after), _by_function(after, before)
    names = {
        new.id: old.id
        for function in gone.keys() & come.keys()
        for old, new in zip(gone[function], come[function], strict=False)
    }
    tests = (t.model_copy(update={"id": names.get(t.id, t.id)}) for t in after.tests)
    return after.model_copy(update={"tests": tuple(tests)})


def _by_function(report: Report, other: Report) -> dict[str, list[TestResult]]:
    """Parametrized tests that only the first report holds, passing ones first."""
    known = {t.id for t in other.tests}
    found: dict[str, list[TestResult]] = {}
    for test in sorted(report.tests, key=lambda t: (t.outcome is not TestOutcome.PASSED, t.id)):
        if "[" in test.id and test.id not in known:
            found.setdefault(_function(test.id), []).append(test)
    return found
