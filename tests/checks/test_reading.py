"""Reading reports that come from where generated code ran, and showing them."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from bot.checks.artifact import report_from_artifact
from bot.checks.cluster import cluster, missing_symbol
from bot.checks.report import Frame, Report, TestOutcome, TestResult
from bot.checks.results import read_report
from bot.checks.steady import cropped, steady
from bot.checks.summary import annotations, outputs, summary

JUNIT = """<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">
<testcase classname="check_tests.test_app" name="test_fine" time="0.01"/>
<testcase classname="check_tests.test_app" name="test_bad" time="0.02">
<failure message="ValueError: no at 0x7f0011223344">text</failure></testcase>
<testcase classname="" name="check_tests.test_gone" time="0">
<error message="collection failure">ImportError</error></testcase>
</testsuite></testsuites>"""
RUN = json.dumps({"rounds": [{"returncode": 1, "seconds": 1.5, "root": "/x/project"}]})
COLLECTED = json.dumps({"event": "collected", "ids": ["check_tests/test_app.py::test_fine"]})


def zipped(files: dict[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_an_artifact_becomes_a_report() -> None:
    report = report_from_artifact(
        zipped({"run.json": RUN, "1/junit.xml": JUNIT, "1/events.jsonl": COLLECTED})
    )
    assert [(t.id, t.outcome.value, t.exception, t.message) for t in report.tests] == [
        ("check_tests/test_app.py::test_fine", "passed", "", ""),
        ("check_tests/test_app.py::test_bad", "failed", "ValueError", "no at 0x..."),
        ("check_tests/test_gone.py", "error", "", "collection failure"),
    ]
    assert (report.collected, report.problem, report.seconds) == (True, "", 1.5)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is not a zip"),
        (b"PK\x03\x04 torn", "it is not a zip"),
        (b"\0" * (33 << 20), "it is too large"),
        (zipped({f"{n}": "" for n in range(300)}), "it holds too many files"),
        (zipped({"other.txt": "x"}), "does not say how the run ended"),
        (zipped({"../run.json": RUN}), "does not say how the run ended"),
        (zipped({"/run.json": RUN}), "does not say how the run ended"),
        (zipped({"run.json": b"\0" * (20 << 20)}), "does not say how the run ended"),
        (zipped({"run.json": "{}"}), "does not say how the run ended"),
        (zipped({"run.json": '{"rounds": []}'}), "pytest was never started"),
    ],
    ids=lambda value: None if isinstance(value, str) else "zip",
)
def test_a_hostile_artifact_is_a_report_that_says_so(content: bytes, problem: str) -> None:
    report = report_from_artifact(content)
    assert not report.green
    assert not report.collected
    assert problem in report.problem


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "<testsuites>",
        "no xml",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuites/>',
        '<?xml version="1.0"?><html/>',
    ],
)
def test_xml_that_is_no_report_counts_as_none(xml: str) -> None:
    report = read_report({"run.json": RUN.encode(), "1/junit.xml": xml.encode()})
    assert report.tests == ()
    assert not report.green


def test_events_alone_tell_what_ran_before_a_crash() -> None:
    events = [
        {"event": "collected", "ids": ["t.py::a", "t.py::b", "t.py::c"]},
        {"event": "start", "id": "t.py::a"},
        {"event": "phase", "id": "t.py::a", "when": "call", "outcome": "passed", "seconds": 0.1},
        {"event": "phase", "id": "t.py::a", "when": "teardown", "outcome": "passed", "seconds": 0},
        {"event": "start", "id": "t.py::b"},
    ]
    log = "\n".join(map(json.dumps, events)) + '\n{"event": "pha'
    run = {"rounds": [{"returncode": 139, "seconds": 1}]}
    report = read_report({"run.json": json.dumps(run).encode(), "1/events.jsonl": log.encode()})
    assert [(t.id, t.outcome.value, t.exception) for t in report.tests] == [
        ("t.py::a", "passed", ""),
        ("t.py::b", "error", "Crash"),
        ("t.py::c", "error", "NotRun"),
    ]
    assert report.problem == "the interpreter was ended by SIGSEGV in t.py::b"


def test_what_differs_from_run_to_run_is_taken_out() -> None:
    text = (
        "<Thing object at 0x7f3b2c1d0a90> in /srv/x/project/app.py,"
        " /tmp/pytest-of-me/pytest-12/test_a0/f.txt, /tmp/tmpab12cd_9/x, 3 passed in 0.12s"
    )
    assert steady(text, "/srv/x/project") == (
        "<Thing object at 0x...> in <project>/app.py, <tmp>/test_a0/f.txt,"
        " <tmp>/x, 3 passed in ... s"
    )
    trace = "/srv/x/project/app.py:3: in f\nE   AssertionError: open('/srv/x/project/a.txt')\n"
    assert steady(trace, "/srv/x/project") == (
        "app.py:3: in f\nE   AssertionError: open('<project>/a.txt')\n"
    )
    assert steady("in /srv/x/projects and abc", "/srv/x/project") == "in /srv/x/projects and abc"
    assert steady("abc", "/") == "abc"
    assert cropped("a" * 50, 100) == "a" * 50
    assert "440 characters left out" in cropped("a" * 500, 60)


def failed(id_: str, exception: str, message: str, *frames: tuple[str, int, str]) -> TestResult:
    return TestResult(
        id=id_,
        outcome=TestOutcome.ERROR if "::" not in id_ else TestOutcome.FAILED,
        exception=exception,
        message=message,
        frames=tuple(Frame(path=p, line=n, function=f) for p, n, f in frames),
    )


TEST = ("check_tests/test_a.py", 3, "test_a")


def test_failures_with_one_cause_are_one_cluster_and_imports_come_first() -> None:
    report = Report(
        tests=(
            failed(
                "check_tests/test_a.py::test_1", "KeyError", "'x'", TEST, ("shop/a.py", 5, "get")
            ),
            failed(
                "check_tests/test_a.py::test_2", "KeyError", "'y'", TEST, ("shop/a.py", 9, "get")
            ),
            failed("check_tests/test_a.py::test_3", "AssertionError", "assert 1 == 2", TEST),
            TestResult(id="check_tests/test_a.py::test_4", outcome=TestOutcome.PASSED),
            failed(
                "check_tests/test_b.py",
                "ImportError",
                "cannot import name 'Cart' from 'shop.cart' (shop/cart.py)",
                ("check_tests/test_b.py", 1, "<module>"),
                ("shop/till.py", 2, "<module>"),
            ),
        )
    )
    clusters = cluster(
        report,
        files=("shop/a.py", "shop/cart.py", "shop/till.py"),
        hidden={"check_tests/test_b.py": 7},
    )
    assert [(c.exception, c.symbol, c.unlocks, c.files) for c in clusters] == [
        ("ImportError", "shop.cart.Cart", 7, ("shop/cart.py", "shop/till.py")),
        ("KeyError", "", 2, ("shop/a.py",)),
        ("AssertionError", "", 1, ()),
    ]
    assert clusters[1].tests == ("check_tests/test_a.py::test_1", "check_tests/test_a.py::test_2")
    assert clusters[1].title == "KeyError: 'x' (shop/a.py:5)"


def test_what_never_ran_belongs_to_what_ended_the_run() -> None:
    report = Report(
        tests=(
            failed("t.py::a", "ValueError", "no", ("shop.py", 1, "f")),
            failed("t.py::b", "Crash", "the interpreter was ended by SIGSEGV"),
            failed("t.py::c", "NotRun", "an earlier test ended the whole run"),
        )
    )
    first, second = cluster(report, tests=("t.py",))
    assert (first.exception, first.tests, first.unlocks) == ("Crash", ("t.py::b", "t.py::c"), 2)
    assert second.exception == "ValueError"


@pytest.mark.parametrize(
    ("message", "symbol", "module"),
    [
        ("No module named 'shop.cart'", "shop.cart", "shop.cart"),
        ("cannot import name 'A' from 'a.b' (a/b.py)", "a.b.A", "a.b"),
        (
            "cannot import name 'A' from partially initialized module 'a.b' (most likely due to a"
            " circular import) (a/b.py)",
            "a.b.A",
            "a.b",
        ),
        ("module 'a.b' has no attribute 'f'", "a.b.f", "a.b"),
        ("'Cart' object has no attribute 'add'", "Cart.add", ""),
        ("type object 'Cart' has no attribute 'add'", "Cart.add", ""),
        ("name 'helper' is not defined", "helper", ""),
        ("Cart.add() missing 1 required positional argument: 'item'", "Cart.add", ""),
        ("add() takes 1 positional argument but 2 were given", "add", ""),
        ("add() got an unexpected keyword argument 'x'", "add", ""),
        ("Can't instantiate abstract class Cart with abstract method add", "Cart.add", ""),
        (
            "Can't instantiate abstract class Cart without an implementation for abstract method"
            " 'add'",
            "Cart.add",
            "",
        ),
        ("assert 1 == 2", "", ""),
    ],
)
def test_the_missing_symbol_is_read_from_the_message(
    message: str, symbol: str, module: str
) -> None:
    assert missing_symbol(message) == (symbol, module)


HOSTILE = "@everyone <img src=x> ```\n::error::boo [x](http://example.org) #1 | `y` %0A"


def test_a_summary_and_annotations_carry_hostile_text_as_text() -> None:
    result = failed(f"check_tests/t.py::test[{HOSTILE}]", "ValueError", HOSTILE, ("app.py", 4, "f"))
    report = Report(tests=(result,), seconds=1.25)
    text = summary(report)
    assert text.startswith("## ❌ 0 of 1 check tests passed\n")
    outside_code = "".join(part for n, part in enumerate(text.split("````")) if n % 2 == 0)
    prose = "\n".join(line for line in outside_code.splitlines() if not line.startswith("- `"))
    for sign in ("@everyone", "<img", "[x](", "#1"):
        assert sign not in prose
    (line,) = annotations(report)
    assert "\n" not in line
    assert line.startswith("::error file=app.py,line=4,title=check_tests/t.py%3A%3Atest[")
    assert outputs(report) == "passed=0\nfailed=1\nskipped=0\ntotal=1\ngreen=false\ncoverage=0\n"


def test_a_summary_of_a_run_that_never_started_shows_its_last_output() -> None:
    text = summary(Report(collected=False, problem="no tests were found", log_tail="the end"))
    assert "**no tests were found**" in text
    assert "```text\nthe end\n```" in text


def test_the_command_writes_report_summary_and_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bot.checks.__main__ import main

    out = tmp_path / "out"
    (out / "1").mkdir(parents=True)
    (out / "run.json").write_text(RUN)
    (out / "1" / "junit.xml").write_text(JUNIT)
    (out / "1" / "events.jsonl").write_text(COLLECTED)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output.txt"))
    assert main(["summary", "--out", str(out)]) == 0
    assert "1 of 3 check tests passed" in (tmp_path / "summary.md").read_text()
    assert "total=3\n" in (tmp_path / "output.txt").read_text()
    said = capsys.readouterr().out
    assert said.startswith("::stop-commands::")
    assert (
        main(
            [
                "run",
                "--root",
                str(tmp_path),
                "--out",
                str(out),
                "--sandbox",
                "none",
                "--environment",
                str(tmp_path),
            ]
        )
        == 3
    )
    assert "there is no Python environment" in capsys.readouterr().err
