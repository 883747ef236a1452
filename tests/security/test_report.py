"""Reports are made where hostile code ran: whatever stands in one, the run goes on."""

import json
import time

import pytest

from bot.checks.report import Report, TestOutcome
from bot.checks.results import read_report

ROOT = "/tmp/project"
FACTS = json.dumps({"rounds": [{"returncode": 0, "root": ROOT}], "tests": ["check_tests"]})
CASE = '<testcase classname="check_tests.test_a" name="test_x" time="0.1"/>'


def read(junit: str | bytes = "", events: str = "", coverage: str = "") -> Report:
    xml = junit if isinstance(junit, bytes) else junit.encode()
    return read_report(
        {
            "run.json": FACTS.encode(),
            "1/junit.xml": xml,
            "1/events.jsonl": events.encode(),
            "1/coverage.json": coverage.encode(),
        }
    )


def suite(*cases: str) -> str:
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


COLLECTED = json.dumps({"event": "collected", "ids": ["check_tests/test_a.py::test_x"]}) + "\n"


@pytest.mark.parametrize("told", ["inf", "-inf", "nan", "1e999", "soon", ""])
def test_a_strange_duration_is_none(told: str) -> None:
    report = read(suite(CASE.replace("0.1", told)), COLLECTED)
    assert report.tests[0].seconds == 0
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize("told", ["Infinity", "NaN", "-1e999"])
def test_a_strange_duration_among_the_events_is_none(told: str) -> None:
    phase = f'{{"event": "phase", "id": "a::b", "when": "teardown", "seconds": {told}}}\n'
    report = read("", COLLECTED + phase)
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"event": "failure", "id": "\\ud800", "exception": "\\ud800"}',
        '{"event": "collected", "ids": ["\\ud800", {"a": 1}, null]}',
        '{"event": "collect", "id": ["x"]}',
        '{"event": ["phase"], "id": "x"}',
        '{"event": "failure", "id": "a", "exception": "E", "frames": [{"path": "p", "line": -3}]}',
    ],
)
def test_strange_events_are_passed_over(line: str) -> None:
    report = read("", COLLECTED + line + "\n")
    assert Report.model_validate_json(report.model_dump_json()) == report
    assert not report.green
    assert all(frame.line > 0 for test in report.tests for frame in test.frames)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"files": {"a": {"executed_lines": [Infinity], "summary": {"num_statements": 1}}}}',
        '{"files": {"a": {"executed_lines": [1], "summary": {"num_statements": NaN}}}}',
        '{"files": {"\\ud800": {"executed_lines": [1], "summary": {"num_statements": 1}}}}',
    ],
)
def test_strange_coverage_is_passed_over(text: str) -> None:
    report = read(suite(CASE), COLLECTED, text)
    assert report.green
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "cp037"])
def test_entities_are_never_read_in_whatever_encoding(encoding: str) -> None:
    xml = (
        f'<?xml version="1.0" encoding="{encoding}"?>'
        '<!DOCTYPE t [<!ENTITY e "expanded">]>' + suite(CASE.replace("test_x", "test_&e;"))
    )
    report = read(xml.encode(encoding), COLLECTED)
    assert "expanded" not in report.model_dump_json()


def test_a_long_text_of_slashes_does_not_stop_the_clock() -> None:
    failure = f'<failure message="{"/a" * 200_000}">{"/a" * 200_000}</failure>'
    case = f'<testcase classname="c" name="{"/a" * 100_000}">{failure}</testcase>'
    began = time.monotonic()
    report = read(suite(case), COLLECTED)
    assert time.monotonic() - began < 5
    assert report.count(TestOutcome.FAILED) == 1
    assert len(report.model_dump_json()) < 50_000


def test_a_flood_of_tests_is_no_report() -> None:
    report = read(suite(CASE * 200_000), COLLECTED)
    assert not report.green
    assert len(report.model_dump_json()) < 1_000_000
    assert "tests" in report.problem
