"""What a check run shows on GitHub, through `python -m bot.checks summary`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bot.checks.report import FileCoverage, Frame, Report, TestOutcome, TestResult
from bot.checks.runner import write_files
from bot.checks.summary import annotations, summary
from bot.checks.trend import History, Point, read_history, trend_svg, with_point

HOSTILE = "a|b](http://example.org) <img src=x> @everyone `\n::error::x"


class Shown:
    """What one call of the command left behind."""

    def __init__(self, folder: Path, printed: str) -> None:
        self.printed = printed
        self.summary = (folder / "step-summary.md").read_text()
        lines = (folder / "output").read_text().splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)


def show(folder: Path, out: Path, number: int = 1) -> Shown:
    for name in ("step-summary.md", "output"):
        (folder / name).unlink(missing_ok=True)
    done = subprocess.run(
        [
            *(sys.executable, "-P", "-m", "bot.checks", "summary", "--out", str(out)),
            *("--history", str(folder / "kept" / "history.json")),
        ],
        env={
            **os.environ,
            "GITHUB_STEP_SUMMARY": str(folder / "step-summary.md"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_RUN_ID": str(1000 + number),
            "GITHUB_RUN_NUMBER": str(number),
            "GITHUB_SHA": "ab" * 20,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Shown(folder, done.stdout)


def report_files(passed: int, failed: int) -> dict[str, bytes]:
    """The artifact's files of a run with so many tests."""
    bad = '<failure message="ValueError: no">no</failure>'
    cases = [f'<testcase classname="t.test_a" name="p{n}" time="0.2"/>' for n in range(passed)]
    cases += [f'<testcase classname="t.test_a" name="f{n}">{bad}</testcase>' for n in range(failed)]
    junit = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
    ids = [f"t/test_a.py::p{n}" for n in range(passed)]
    ids += [f"t/test_a.py::f{n}" for n in range(failed)]
    run = {"rounds": [{"returncode": 1, "seconds": 1.5}], "tests": ["t"]}
    return {
        "run.json": json.dumps(run).encode(),
        "1/junit.xml": junit.encode(),
        "1/events.jsonl": json.dumps({"event": "collected", "ids": ids}).encode(),
    }


def test_rounds_become_a_trend_in_the_summary_and_in_the_artifact(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_files(report_files(1, 3), out)
    first = show(tmp_path, out, 7)
    assert first.summary.startswith("## ❌ 1 of 4 check tests passed\n\n🟩🟩🟩🟩🟩🟥")
    assert "mermaid" not in first.summary
    write_files(report_files(3, 1), out)
    second = show(tmp_path, out, 9)
    assert "\n\n2 more passed than in run 7.\n\n```mermaid\n" in second.summary
    (chart,) = re.findall(r"```mermaid\n(.*?)```", second.summary, re.DOTALL)
    assert 'x-axis ["7", "9"]' in chart
    assert "bar [1, 3]" in chart
    assert "line [4, 4]" in chart
    assert second.outputs["passed"] == "3"
    picture = ElementTree.parse(out / "trend.svg")
    title = picture.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "Tests passed: 1 of 4 in run 7, 3 of 4 in run 9"
    assert [point.number for point in read_history((out / "history.json").read_bytes()).points] == [
        7,
        9,
    ]


def test_a_run_that_is_repeated_takes_its_own_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_files(report_files(1, 1), out)
    show(tmp_path, out, 3)
    write_files(report_files(2, 0), out)
    again = show(tmp_path, out, 3)
    assert again.summary.startswith("## ✅ 2 of 2 check tests passed")
    assert "mermaid" not in again.summary
    assert len(read_history((out / "history.json").read_bytes()).points) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"points": [{"run": 1, "number": 1, "passed": -1, "failed": 0}]}',
        b'{"points": [{"run": 1, "number": 1, "passed": 1, "failed": 0, "commit": "<x>"}]}',
        b'{"points": []}' + b" " * 70_000,
    ],
)
def test_a_history_that_makes_no_sense_counts_as_none(tmp_path: Path, content: bytes) -> None:
    assert read_history(content).points == ()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "history.json").write_bytes(content)
    write_files(report_files(1, 0), tmp_path / "out")
    assert "1 of 1 check tests passed" in show(tmp_path, tmp_path / "out").summary


def test_a_long_history_keeps_the_last_runs() -> None:
    history = History()
    for number in range(50):
        history = with_point(history, Point(run=number, number=number, passed=1, failed=0))
    assert [point.number for point in history.points] == list(range(20, 50))
    assert trend_svg(history).count("<circle") == 30


def test_a_check_that_could_not_run_says_why_and_leaves_no_report(tmp_path: Path) -> None:
    out, root = tmp_path / "out", tmp_path / "project"
    root.mkdir()
    command = [sys.executable, "-P", "-m", "bot.checks", "run", "--root", str(root)]
    command += ["--out", str(out), "--sandbox", "none", "--environment", sys.prefix]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert "the check tests could not be run: check_tests: there are no check tests" in done.stderr
    shown = show(tmp_path, out)
    assert "there are no check tests" in shown.summary
    assert shown.outputs["green"] == "false"
    assert not (out / "run.json").exists()
    assert "::error title=Check tests::the check tests could not be run" in shown.printed


def test_a_repository_may_have_no_tests_yet(tmp_path: Path) -> None:
    out, root = tmp_path / "out", tmp_path / "project"
    root.mkdir()
    command = [sys.executable, "-P", "-m", "bot.checks", "run", "--root", str(root)]
    done = subprocess.run(
        [*command, "--out", str(out), "--missing", "pass"], timeout=60, check=False
    )
    assert done.returncode == 0
    shown = show(tmp_path, out)
    assert shown.summary.startswith("## ⚪ No tests yet\n")
    assert (shown.outputs["total"], shown.outputs["green"]) == ("0", "false")
    assert "::error" not in shown.printed


def test_coverage_by_file_and_slow_tests_are_folded_and_hostile_names_stay_text() -> None:
    slow = TestResult(id=f"t/a.py::{HOSTILE}", outcome=TestOutcome.PASSED, seconds=3.25)
    quick = TestResult(id="t/a.py::quick", outcome=TestOutcome.PASSED, seconds=0.01)
    covered = (
        FileCoverage(path=HOSTILE, covered=1, statements=4),
        FileCoverage(path="well.py", covered=10, statements=10),
    )
    text = summary(Report(tests=(quick, slow), coverage=covered, seconds=4.0), ("t",))
    shown = "`a¦b](http://example.org) <img src=x> @everyone ' ::error::x`"
    assert f"| {shown} | 25 % | 4 | 🟩🟩⬜⬜⬜⬜⬜⬜⬜⬜ |" in text
    assert text.index(shown) < text.index("`well.py`")
    assert "Coverage by file: 78 % of 14 statements" in text
    assert "| 3.25 s |" in text
    assert "quick" not in text
    assert not [line for line in text.splitlines() if line.startswith("::")]


def test_a_line_is_marked_once_and_the_problem_first() -> None:
    frame = (Frame(path="app.py", line=4),)
    failing = tuple(
        TestResult(id=f"t/a.py::{n}", outcome=TestOutcome.FAILED, exception="E", frames=frame)
        for n in range(3)
    )
    elsewhere = tuple(
        TestResult(id=f"t/b.py::{n}", outcome=TestOutcome.FAILED, exception="E") for n in range(20)
    )
    marks = list(annotations(Report(tests=failing + elsewhere, problem="it crashed"), ("t",)))
    assert len(marks) == 10
    assert marks[0] == "::error title=Check tests::it crashed"
    assert marks[1].startswith("::error file=app.py,line=4,title=t/a.py%3A%3A0 and 2 more::E")
