"""Seeded runs through the product's own legs: the branch ends on the best commit."""

import pytest

from bot.bench.parts import Part, artifact_of, part_of, passing, path_of, results_of, source_of
from bot.bench.ratchet import ENDINGS, bench_ratchet
from bot.checks.artifact import report_from_artifact
from bot.checks.report import TestOutcome

SEEDS = 3 * len(ENDINGS)


@pytest.mark.timeout(300)
def test_no_branch_ends_below_its_best_with_the_ratchet_and_some_do_without() -> None:
    figures = bench_ratchet((), seeds=SEEDS, whole_endings=()).figures
    assert (figures["runs"], figures["below_best"], figures["kept_losing"]) == (SEEDS, 0, 0)
    assert figures["agreed"] == 1
    assert figures["below_best_without"]


@pytest.mark.parametrize(
    ("part", "passed", "others"),
    [
        (Part(ways=("right",) * 5), 7, set()),
        (Part(ways=("wrong", "right", "raises", "right", "dies")), 2, {"failed"}),
        (Part(ways=("right",) * 5, shape="broken"), 0, {"error"}),
        (Part(ways=("right",) * 5, shape="bare"), 4, {"skipped"}),
    ],
)
def test_what_a_generated_module_says_is_what_its_report_tells(
    part: Part, passed: int, others: set[str]
) -> None:
    whole = Part(ways=("right",) * 5)
    sources = {path_of(m): source_of(m, whole) for m in (1, 2)} | {path_of(0): source_of(0, part)}
    assert part_of(sources[path_of(0)]) == part
    report = report_from_artifact(artifact_of(sources))
    ours = [t for t in report.tests if "part0" in t.id]
    assert sum(t.outcome is TestOutcome.PASSED for t in ours) == passed
    assert {t.outcome.value for t in ours} - {"passed"} == others
    assert report.passed == len(passing(results_of(sources)))
