"""Makes experiences from an iteration: Et = Et-1 ∪ Abstract(At-1, At, Vt-1, Vt) (E, III-D).

No model is asked. What failed gives the family and its principle, the diff what was done, the two
reports what came of it; the texts are put together from data and checked against every name.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

import yaml

from bot.checks.report import Report, TestOutcome
from bot.experience.families import Trouble, troubles
from bot.experience.moves import Move, moves_of
from bot.experience.names import leaks, names_of
from bot.experience.wording import is_plain, worded
from bot.ports.experience import Effect, Experience, Kind, Phraser, Stage
from bot.state.model import ProjectState

_MOST_MOVES = 3
_MOST_WORDS = 60


def learned(
    before: ProjectState,
    after: ProjectState,
    diff: str,
    reports: tuple[Report, Report],
    *,
    stage: Stage = Stage.EARLY,
    project: Iterable[str] = (),
    phraser: Phraser | None = None,
) -> Experience | None:
    """The weightiest experience of an iteration; see `lessons`."""
    found = lessons(before, after, diff, reports, stage=stage, project=project, phraser=phraser)
    return found[0] if found else None


def lessons(
    before: ProjectState,
    after: ProjectState,
    diff: str,
    reports: tuple[Report, Report],
    *,
    stage: Stage = Stage.EARLY,
    project: Iterable[str] = (),
    phraser: Phraser | None = None,
) -> tuple[Experience, ...]:
    """One experience for each family of failures that the first report shows, those that break
    imports first, then by number of tests.

    `diff` is the unified diff between the two states' code, `reports` the check runs before and
    after it, `project` further names to keep out: the repository's, and `names.names_in_code` of
    its files. Nothing is learnt where nothing failed or nothing was changed. An experience that
    cannot be worded without a name of the project is left out.
    """
    earlier, later = reports
    moves = moves_of(diff, _test_folders(earlier))
    if not moves:
        return ()
    names = names_of((before, after), reports, project)
    made = (_lesson(trouble, moves, earlier, later, stage, names) for trouble in troubles(earlier))
    return tuple(_phrased(lesson, names, phraser) for lesson in made if lesson is not None)


def effect_on(trouble: Trouble, earlier: Report, later: Report) -> Effect:
    """What became of the tests of one family; tests that passed before and no longer do count
    against it, wherever they are."""
    return _effect([test.id for test in trouble.tests], earlier, later)


def effect_of(earlier: Report, later: Report) -> Effect:
    """What a whole iteration did to the check tests: the sign of what it gained less what it
    lost. A test file that no longer fails to import is a gain even where its tests fail."""
    return _effect(
        [t.id for t in earlier.tests if t.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)],
        earlier,
        later,
    )


def stage_of(iteration: int, cap: int) -> Stage:
    """The third of a phase's `cap` iterations in which `iteration`, counted from 1, lies."""
    third = min(2, max(0, iteration - 1) * 3 // max(1, cap))
    return (Stage.EARLY, Stage.MIDDLE, Stage.LATE)[third]


def _lesson(
    trouble: Trouble,
    moves: Sequence[Move],
    earlier: Report,
    later: Report,
    stage: Stage,
    names: frozenset[str],
) -> Experience | None:
    outcome = effect_on(trouble, earlier, later)
    scenario = worded(trouble.family.scenario, names)
    strategy = _strategy(trouble, moves, outcome, names)
    if scenario is None or strategy is None:
        return None
    signal = (word for word in trouble.signal if not leaks(word, names))
    return Experience(
        family=trouble.family.name,
        scenario=scenario,
        strategy=strategy,
        outcome=outcome,
        kind=Kind.SUCCESS if outcome is Effect.IMPROVED else Kind.FAILURE,
        stage=stage,
        signal=tuple(signal)[:_MOST_WORDS],
    )


def _strategy(
    trouble: Trouble, moves: Sequence[Move], outcome: Effect, names: frozenset[str]
) -> str | None:
    """The principle with what was done; without the moves that cannot be worded."""
    done = [said for move in moves[:_MOST_MOVES] if (said := _move(move, names)) is not None]
    principle = trouble.family.strategy.strip()
    said = _sayings()[outcome if done else "improved_otherwise"]
    return worded(said.format(principle=principle, moves="; ".join(done)), names)


def _move(move: Move, names: frozenset[str]) -> str | None:
    return move.said if worded(move.said, names) is not None else None


def _phrased(lesson: Experience, names: frozenset[str], phraser: Phraser | None) -> Experience:
    """The lesson in a phraser's words, if they name nothing, are prose, and say the same lesson."""
    if phraser is None:
        return lesson
    other = phraser.phrase(lesson)
    same = lesson.model_copy(update={"scenario": other.scenario, "strategy": other.strategy})
    texts = (other.scenario, other.strategy)
    kept = same == other and all(is_plain(text) and not leaks(text, names) for text in texts)
    return other if kept else lesson


def _effect(failed: Iterable[str], earlier: Report, later: Report) -> Effect:
    """A failed test is gained where it passes now, a failed file where its tests run now."""
    passing, loaded = (
        _passing(later),
        {t.id.partition("::")[0] for t in later.tests if "::" in t.id},
    )
    gained = sum(id_ in (passing if "::" in id_ else loaded) for id_ in failed)
    lost = len(_passing(earlier) - passing)
    if lost > gained:
        return Effect.REGRESSED
    return Effect.IMPROVED if gained > lost else Effect.NO_EFFECT


def _passing(report: Report) -> set[str]:
    return {test.id for test in report.tests if test.outcome is TestOutcome.PASSED}


def _test_folders(report: Report) -> tuple[str, ...]:
    return tuple({test.id.partition("::")[0] for test in report.tests}) or ("check_tests",)


@cache
def _sayings() -> dict[str, str]:
    text = resources.files("bot.experience").joinpath("sayings.yaml").read_text("utf-8")
    return {str(key): str(value) for key, value in yaml.safe_load(text).items()}
