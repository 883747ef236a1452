"""Whether advice of the right family is found, how quickly, and with whose scores; and whether
what was learnt names anything of the project that taught it."""

import ast
import random
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from statistics import mean as average

from rank_bm25 import BM25Okapi

from bot.base import Data
from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, share
from bot.bench.seeded_runs import SeededRun, prepared, runnable, seeded_runs
from bot.checks.report import Report
from bot.experience.families import background, families, troubles
from bot.experience.learn import lessons
from bot.experience.recall import Recalled, Shelf
from bot.ports.experience import Effect, Experience, Kept, Kind, Stage
from bot.syntax import parse

SIZES = {"ms_1k": 1_000, "ms_10k": 10_000, "ms_100k": 100_000}
_QUERIES = 30
_COMPARED = 3
_FIRST = 3
_WORDS = re.compile(r"\w+")


class _Lesson(Data):
    """What a seeded run taught, and the family of the fault that was seeded in it."""

    task: str
    seeded: str
    experience: Experience


def bench_experience(tasks: Sequence[Task]) -> BenchResult:
    """Each seeded fault asks what the seeded faults of all other tasks have taught.

    A question counts as answered where one of the first three experiences comes from a fault of
    the same family, as it was seeded, not as it was recognised. Families that no other task holds
    cannot be answered; they are counted apart. `at_random` is what three drawn blindly would hit.
    """
    runs = _runs(tasks)
    taught = [_Lesson(task=r.task, seeded=r.fault.family, experience=e) for r, e in _learnt(runs)]
    rows = tuple(_task_row(name, runs, taught) for name in _names(runs))
    asked = sum(int(row["asked"] or 0) for row in rows)
    figures: dict[str, Value] = {
        "family_in_three": share(sum(int(row["in_three"] or 0) for row in rows), asked),
        "family_first": share(sum(int(row["first"] or 0) for row in rows), asked),
        "at_random": _rounded([float(row["at_random"] or 0) for row in rows]),
        "asked": asked,
        "unanswerable": sum(int(row["unanswerable"] or 0) for row in rows),
        "experiences": len(taught),
        **_speed([lesson.experience for lesson in taught] or _invented()),
    }
    return BenchResult(bench="experience", figures=figures, tasks=rows)


def bench_abstraction(tasks: Sequence[Task]) -> BenchResult:
    """Names of the project in what whole seeded runs teach. Each fault's run has three rounds: a
    repair without effect, one that helps, one that does harm. The names are gathered here anew
    from the code, not by the check that the product itself makes."""
    runs = _runs(tasks)
    by_name = {task.name: task for task in tasks}
    rows = []
    for name in _names(runs):
        names = frozenset(_names_in(by_name[name]))
        ours = [run for run in runs if run.task == name]
        rounds = [pair for run in ours for pair in _rounds(run)]
        made = [e for run, reports in rounds for e in _lessons(run, reports)]
        found = sorted({leak for e in made for leak in _leaks(e, names)})
        expected = sum(len(troubles(reports[0])) for _, reports in rounds)
        rows.append(
            {
                "task": name,
                "rounds": len(rounds),
                "experiences": len(made),
                "refused": expected - len(made),
                "names": len(names),
                "leaks": len(found),
                "leaked": ", ".join(found[:5]),
            }
        )
    keys = ("leaks", "experiences", "refused", "rounds")
    figures: dict[str, Value] = {key: sum(int(str(row[key])) for row in rows) for key in keys}
    return BenchResult(bench="abstraction", figures=figures, tasks=tuple(rows))


def _runs(tasks: Sequence[Task]) -> tuple[SeededRun, ...]:
    chosen = runnable(tasks)
    return seeded_runs(chosen, *prepared()) if chosen else ()


def _learnt(runs: Iterable[SeededRun]) -> Iterator[tuple[SeededRun, Experience]]:
    for run in runs:
        yield from ((run, experience) for experience in _lessons(run, run.reports))


def _lessons(run: SeededRun, reports: tuple[Report, Report]) -> tuple[Experience, ...]:
    return lessons(run.broken, run.mended, run.diff, reports, project=run.names)


def _task_row(name: str, runs: Sequence[SeededRun], taught: Sequence[_Lesson]) -> dict[str, Value]:
    others = [lesson for lesson in taught if lesson.task != name]
    known = {lesson.seeded for lesson in others}
    asked = [run for run in runs if run.task == name]
    answerable = [run for run in asked if run.fault.family in known]
    shelf = _shelf(lesson.experience for lesson in others)
    found = [
        [others[r.number].seeded == run.fault.family for r in _recalled(shelf, run.reports[0])]
        for run in answerable
    ]
    blind = [_blind(run.fault.family, others) for run in answerable]
    return {
        "task": name,
        "asked": len(answerable),
        "in_three": sum(any(hits) for hits in found),
        "first": sum(hits[:1] == [True] for hits in found),
        "at_random": _rounded(blind),
        "unanswerable": len(asked) - len(answerable),
        "missed": ", ".join(
            sorted({r.fault.family for r, h in zip(answerable, found, strict=True) if not any(h)})
        ),
    }


def _recalled(shelf: Shelf, report: Report) -> Sequence[Recalled]:
    found = troubles(report)
    return shelf.recall(found[0].signal, _FIRST) if found else ()


def _blind(family: str, others: Sequence[_Lesson]) -> float:
    """How often one of three that are drawn blindly is of the family."""
    wrong = sum(lesson.seeded != family for lesson in others) / len(others)
    return float(1 - wrong**_FIRST)


def _shelf(experiences: Iterable[Experience]) -> Shelf:
    shelf = Shelf()
    shelf.put(Kept(number=n, experience=e) for n, e in enumerate(experiences))
    return shelf


def _speed(known: Sequence[Experience]) -> dict[str, Value]:
    """Milliseconds of one retrieval, weights and choice included, and of the first one after
    something was learnt; the largest difference of a score to rank-bm25's."""
    chance = random.Random(1)  # noqa: S311 - a sample, no secret
    figures: dict[str, Value] = {}
    for key, size in SIZES.items():
        crowd = [_varied(chance.choice(known), n, chance) for n in range(size)]
        queries = [chance.choice(known).signal for _ in range(_QUERIES)]
        shelf = _shelf(crowd)
        figures[f"{key}_after_learning"] = round(_milliseconds(shelf, queries[0]), 3)
        times = [_milliseconds(shelf, query) for query in queries]
        figures[key] = round(average(times), 3)
        if size == max(SIZES.values()):
            figures |= _against_rank_bm25(shelf, crowd, queries[:_COMPARED])
    return figures


def _milliseconds(shelf: Shelf, query: Sequence[str]) -> float:
    started = time.perf_counter()
    shelf.recall(query, _FIRST)
    return (time.perf_counter() - started) * 1000


def _against_rank_bm25(
    shelf: Shelf, crowd: Sequence[Experience], queries: Sequence[Sequence[str]]
) -> dict[str, Value]:
    ground = [list(words) for words in background()]
    plain = BM25Okapi([*ground, *(list(e.signal) for e in crowd)])
    differences, times = [], []
    for query in queries:
        started = time.perf_counter()
        expected = plain.get_scores(list(query))[len(ground) :]
        times.append((time.perf_counter() - started) * 1000)
        scores = shelf.scores(query)
        differences.append(max(abs(scores[n] - float(e)) for n, e in enumerate(expected)))
    return {
        "largest_score_difference": max(differences),
        "ms_100k_rank_bm25": round(average(times), 1),
    }


def _varied(experience: Experience, number: int, chance: random.Random) -> Experience:
    """A lesson like a known one: some of its words are missing, some are another's."""
    kept = [word for word in experience.signal if chance.random() > 0.1]
    more = chance.choice(background())
    signal = (*kept, *chance.sample(more, min(3, len(more))))
    strategy = f"{experience.strategy} ({number % 5000})"
    return experience.model_copy(update={"signal": signal, "strategy": strategy})


def _invented() -> list[Experience]:
    """A lesson for each family, where no task can be run."""
    return [
        Experience(
            family=family.name,
            scenario=family.scenario,
            strategy=family.strategy,
            outcome=Effect.IMPROVED,
            kind=Kind.SUCCESS,
            stage=Stage.EARLY,
            signal=words,
        )
        for family, words in zip(families(), background(), strict=True)
    ]


def _rounds(run: SeededRun) -> Iterator[tuple[SeededRun, tuple[Report, Report]]]:
    red, green = run.reports
    both = Report(tests=tuple({t.id: t for t in (*green.tests, *red.tests)}.values()))
    yield run, (red, red)
    yield run, (red, green)
    yield run, (both, Report(tests=()))


def _names_in(task: Task) -> Iterator[str]:
    """Everything that the reference and its check tests define, and where it stands."""
    yield task.name
    paths = [*task.reference(), *(str(p) for p in _test_files(task))]
    for path in paths:
        yield from (path, *PurePosixPath(path).parts, PurePosixPath(path).stem)
    for source in task.reference().values():
        for node in ast.walk(parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.attr
        for stmt in parse(source).body:
            for node in ast.walk(stmt) if isinstance(stmt, ast.Assign | ast.AnnAssign) else ():
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
    for file in _test_files(task):
        for node in ast.walk(parse((task.folder / file).read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name


def _test_files(task: Task) -> list[PurePosixPath]:
    found = sorted((task.folder / task.check_tests).rglob("*.py"))
    return [PurePosixPath(p.relative_to(task.folder).as_posix()) for p in found]


def _leaks(experience: Experience, names: frozenset[str]) -> set[str]:
    text = " ".join((experience.scenario, experience.strategy, *experience.signal))
    return {word for word in _WORDS.findall(text) if word in names} | {
        name for name in names if not name.isidentifier() and len(name) > 1 and name in text
    }


def _names(runs: Sequence[SeededRun]) -> list[str]:
    return list(dict.fromkeys(run.task for run in runs))


def _rounded(values: Sequence[float]) -> float | None:
    return round(average(values), 4) if values else None
