"""The workflow that the bot offers, run by the embedded GitHub from a push to a report."""

import io
import zipfile
from pathlib import Path

from actions_hub import Hub

import bot.forge.workflows
from bot.checks.artifact import report_from_artifact
from bot.checks.trend import read_history

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
    assert check.output["summary"].index("🟩") < check.output["summary"].index("What fails")
    assert "mermaid" not in check.output["summary"]
    assert [(a["path"], a["start_line"]) for a in check.annotations] == [("shop.py", 2)]

    hub.push(
        {"shop.py": "def total(prices):\n    return sum(prices)\n"}, branch="repowright/1-shop"
    )
    mended = hub.completed(2)[-1]
    assert mended.conclusion == "success"
    (artifact,) = hub.store.actions.artifacts(mended)
    content = hub.store.actions.artifact_data(artifact)
    assert report_from_artifact(content).green
    check = hub.store.tables.check_runs.get(hub.jobs(mended)["check tests"].id)
    assert f"1 more passed than in run {run.number}." in check.output["summary"]
    assert "bar [1, 2]" in check.output["summary"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        history = read_history(archive.read("history.json"))
        assert b"1 of 2 in run" in archive.read("trend.svg")
    assert [(p.number, p.passed, p.failed) for p in history.points] == [
        (run.number, 1, 1),
        (mended.number, 2, 0),
    ]
