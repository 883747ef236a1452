"""Which lines of the project each failing test ran, and how many passing tests ran them."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from bot.checks.environment import Environment
from bot.checks.report import Report, Spectrum
from bot.checks.results import read_report
from bot.checks.runner import CheckJob, check
from bot.ports.sandbox import Sandbox

PROJECT = {
    "shop.py": """\
        LIMIT = 10

        def total(prices):
            if len(prices) > LIMIT:
                return -1
            return sum(prices)
        """,
    "check_tests/test_shop.py": """\
        import pytest
        from shop import total

        @pytest.mark.parametrize("n", [1, 2, 3])
        def test_few(n):
            assert total([1] * n) == n

        @pytest.mark.parametrize("n", [11, 12])
        def test_many(n):
            assert total([1] * n) == n
        """,
}


def checked(project: Path, sandbox: Sandbox, files: Mapping[str, str]) -> Report:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    job = CheckJob(root=project, environment=Environment.at(Path(sys.prefix)), test_seconds=20)
    return check(job, sandbox)


def test_the_lines_of_each_failing_test_are_told(tmp_path: Path, sandbox: Sandbox) -> None:
    spectrum = checked(tmp_path, sandbox, PROJECT).spectrum
    assert spectrum.passed == 3
    assert spectrum.lines == {"shop.py": {4: 3, 6: 3}}
    name = "check_tests/test_shop.py::test_many"
    assert spectrum.failed == {
        f"{name}[11]": {"shop.py": (4, 5)},
        f"{name}[12]": {"shop.py": (4, 5)},
    }


def test_nothing_is_told_where_nothing_fails(tmp_path: Path, sandbox: Sandbox) -> None:
    files = {**PROJECT, "shop.py": "def total(prices):\n    return sum(prices)\n"}
    report = checked(tmp_path, sandbox, files)
    assert report.green
    assert report.spectrum == Spectrum(passed=5)


RUN = b'{"rounds": [{"returncode": 0}]}'


@pytest.mark.parametrize(
    "told",
    [
        "no JSON",
        {"passed": "many"},
        {"lines": {"a.py": {"x": 1}}},
        {"failed": {"t": {"a.py": "all"}}},
        {"passed": 1, "further": 1},
        {"lines": {"a.py": {"1": -1}}},
        {"lines": {"a.py": {"1": 10**400}}},
        {"lines": {"a.py": {"-1": 1}}},
        {"failed": {"t": {"a.py": [-1]}}},
        {"lines": {"a.py": {str(n): 1 for n in range(100_001)}}},
        {"lines": {f"{n}.py": {} for n in range(100_001)}},
        {"failed": {f"t{n}": {} for n in range(100_001)}},
        {"failed": {"t": {"a.py": list(range(100_001))}}},
    ],
)
def test_what_is_no_spectrum_counts_as_none(told: object) -> None:
    files = {"run.json": RUN, "1/spectrum.json": json.dumps(told).encode()}
    assert read_report(files).spectrum == Spectrum()


def test_names_that_cannot_be_kept_are_replaced() -> None:
    told = b'{"passed": 1, "lines": {"\\ud800.py": {"1": 1}}, "failed": {"\\ud800": {"a": [1]}}}'
    report = read_report({"run.json": RUN, "1/spectrum.json": told})
    assert report.spectrum.lines == {"?.py": {1: 1}}
    assert report.spectrum.failed == {"?": {"a": (1,)}}
    assert Report.model_validate_json(report.model_dump_json()) == report
