"""The workflow that the bot offers, run by the embedded GitHub from a push to a report."""

from pathlib import Path

from actions_hub import Hub

import bot.forge.workflows
from bot.checks.artifact import report_from_artifact

TEMPLATE = (Path(bot.forge.workflows.__file__).parent / "repowright-check.yml").read_text()
TESTS = """\
    from shop import total

    def test_sum():
        assert total([1, 2]) == 3

    def test_empty():
        assert total([]) == 0
    """


def test_a_push_is_checked_and_the_report_fetched(hub: Hub) -> None:
    hub.push({".github/workflows/repowright-check.yml": TEMPLATE, "README.md": "a shop"})
    hub.push(
        {
            "shop.py": "def total(prices):\n    return sum(prices) or 1 / 0\n",
            "check_tests/test_shop.py": TESTS,
        },
        branch="repowright/1-shop",
    )
    (run,) = hub.completed()
    assert (run.name, run.event, run.head_branch) == (
        "Repowright check",
        "push",
        "repowright/1-shop",
    )
    assert run.conclusion == "failure"
    (artifact,) = hub.store.actions.artifacts(run)
    assert artifact.name == "repowright-report"
    report = report_from_artifact(hub.store.actions.artifact_data(artifact))
    assert (report.passed, report.failed, report.problem) == (1, 1, "")
    empty = next(test for test in report.tests if test.id.endswith("test_empty"))
    assert (empty.exception, empty.frames[-1].path) == ("ZeroDivisionError", "shop.py")
    job = hub.jobs(run)["check tests"]
    check = hub.store.tables.check_runs.get(job.id)
    assert (check.name, check.conclusion) == ("check tests", "failure")
    assert "1 of 2 check tests passed" in check.output["summary"]
    assert [(a["path"], a["start_line"]) for a in check.annotations] == [("shop.py", 2)]

    hub.push(
        {"shop.py": "def total(prices):\n    return sum(prices)\n"}, branch="repowright/1-shop"
    )
    mended = hub.completed(2)[-1]
    assert mended.conclusion == "success"
    (artifact,) = hub.store.actions.artifacts(mended)
    assert report_from_artifact(hub.store.actions.artifact_data(artifact)).green
