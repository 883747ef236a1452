"""Generated code that tries to have the check tests pass, or not count, without meeting them."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.checks.environment import Environment
from bot.checks.report import Report, TestOutcome
from bot.checks.runner import CheckJob, check
from bot.checks.sandbox import NoSandbox

Check = Callable[[dict[str, str]], Report]
HONEST = "def double(n):\n    return n * 2\n"
TESTS = """\
import pytest
from shop.price import double


def test_fine():
    assert True


def test_double():
    assert double(2) == 4
"""


def outcomes(report: Report) -> dict[str, TestOutcome]:
    return {test.id.rpartition("::")[2]: test.outcome for test in report.tests}


@pytest.mark.parametrize(
    "evasion",
    [
        "import unittest\nraise unittest.SkipTest('not here')",
        "import pytest\npytest.skip('not here')",
        "import pytest\npytest.xfail('expected')",
    ],
    ids=["SkipTest", "skip", "xfail"],
)
def test_code_cannot_skip_the_test_that_calls_it(checked: Check, evasion: str) -> None:
    body = "\n".join(f"    {line}" for line in evasion.splitlines())
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": f"def double(n):\n{body}\n",
            "check_tests/test_price.py": TESTS,
        }
    )
    assert outcomes(report) == {
        "test_fine": TestOutcome.PASSED,
        "test_double": TestOutcome.FAILED,
    }
    assert not report.green
    (failed,) = [t for t in report.tests if t.outcome is TestOutcome.FAILED]
    assert "skip" in failed.message
    assert failed.frames[-1].path == "shop/price.py"


@pytest.mark.parametrize(
    "evasion",
    [
        "import unittest\nraise unittest.SkipTest('not here')",
        "import pytest\npytest.skip('not here', allow_module_level=True)",
    ],
    ids=["SkipTest", "skip"],
)
def test_code_cannot_skip_the_file_that_imports_it(checked: Check, evasion: str) -> None:
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": f"{evasion}\n{HONEST}",
            "check_tests/test_price.py": TESTS,
            "check_tests/test_other.py": "def test_other():\n    assert True\n",
        }
    )
    assert not report.green
    assert report.failed == 1
    assert report.count(TestOutcome.SKIPPED) == 0


def test_code_cannot_leave_a_test_without_values(checked: Check) -> None:
    tests = (
        "import pytest\nfrom shop import PRICES\n\n\n"
        "@pytest.mark.parametrize('price', PRICES)\n"
        "def test_price(price):\n    assert price > 0\n\n\n"
        "def test_fine():\n    assert True\n"
    )
    report = checked({"shop.py": "PRICES = []\n", "check_tests/test_price.py": tests})
    assert not report.green
    assert report.count(TestOutcome.SKIPPED) == 0
    (failed,) = [t for t in report.tests if t.outcome is not TestOutcome.PASSED]
    assert failed.outcome is TestOutcome.ERROR
    assert "empty parameter set" in failed.message


def test_what_the_check_tests_skip_themselves_stays_skipped(checked: Check) -> None:
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": HONEST,
            "check_tests/test_price.py": TESTS
            + "\n\ndef test_later():\n    pytest.skip('later')\n"
            + "\n\n@pytest.mark.skip\ndef test_never():\n    pass\n"
            + "\n\n@pytest.mark.xfail\ndef test_known():\n    double()\n",
        }
    )
    assert report.green
    assert report.count(TestOutcome.SKIPPED) == 3


@pytest.mark.parametrize(
    "how",
    [
        "path.write_text('def test_double():\\n    pass\\n')",
        "path.unlink()",
        "path.rename(path.with_suffix('.txt'))",
        "path.parent.rename(path.parent.with_name('elsewhere'))",
    ],
)
def test_code_cannot_write_the_check_tests_anew(checked: Check, how: str) -> None:
    attack = f"""\
import pathlib
path = pathlib.Path(__file__).parents[1] / "check_tests" / "test_z.py"
try:
    {how}
except OSError:
    pass


def double(n):
    return 5
"""
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": attack,
            "check_tests/test_a.py": "import shop.price\n\ndef test_one():\n    assert True\n",
            "check_tests/test_z.py": TESTS,
        }
    )
    assert not report.green
    assert outcomes(report)["test_double"] is TestOutcome.FAILED


def test_a_module_cannot_stand_in_for_a_tool_that_pytest_has_not_loaded(checked: Check) -> None:
    report = checked(
        {
            "unittest.py": "class TestCase:\n    def assertEqual(self, a, b):\n        pass\n",
            "shop/__init__.py": "",
            "shop/price.py": "def double(n):\n    return 5\n",
            "check_tests/test_price.py": """\
                import unittest
                from shop.price import double

                class TestPrice(unittest.TestCase):
                    def test_double(self):
                        self.assertEqual(double(2), 4)
                """,
        }
    )
    assert not report.green


def test_leaving_early_counts_what_never_ran(checked: Check) -> None:
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": "import os\n\ndef double(n):\n    os._exit(0)\n",
            "check_tests/test_price.py": TESTS,
        }
    )
    assert not report.green
    assert outcomes(report)["test_double"] is TestOutcome.ERROR


def test_ending_the_session_counts_what_never_ran(checked: Check) -> None:
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": "import pytest\n\ndef double(n):\n    pytest.exit('done', 0)\n",
            "check_tests/test_price.py": TESTS,
        }
    )
    assert not report.green
    assert outcomes(report)["test_double"] is TestOutcome.ERROR


def test_without_a_sandbox_a_check_test_that_was_written_anew_does_not_pass(
    tmp_path: Path,
) -> None:
    attack = """\
import pathlib
path = pathlib.Path(__file__).parents[1] / "check_tests" / "test_z.py"
path.write_text("def test_double():\\n    pass\\n")
"""
    files = {
        "shop/__init__.py": "",
        "shop/price.py": attack,
        "check_tests/test_a.py": "import shop.price\n\ndef test_one():\n    assert True\n",
        "check_tests/test_z.py": TESTS,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    job = CheckJob(root=tmp_path, environment=Environment.at(Path(sys.prefix)))
    report = check(job, NoSandbox())
    (changed,) = [t for t in report.tests if t.id.startswith("check_tests/test_z.py")]
    assert (changed.outcome, changed.exception) == (TestOutcome.ERROR, "Changed")
    assert not report.green


@pytest.mark.xfail(
    strict=True,
    reason="code in the tests' own process can write the report; docs/security.md says so",
)
def test_code_cannot_write_the_report_itself(checked: Check) -> None:
    attack = """\
import json, os, pathlib, sys

job = json.loads(pathlib.Path(sys.argv[1]).read_text())
ids = ["check_tests/test_price.py::test_fine", "check_tests/test_price.py::test_double"]
cases = "".join(
    f'<testcase classname="c" name="n"><properties><property name="nodeid" value="{i}"/>'
    "</properties></testcase>" for i in ids
)
pathlib.Path(job["junit"]).write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
with open(job["log"], "a") as log:
    log.write(json.dumps({"event": "collected", "ids": ids}) + "\\n")
    log.write(json.dumps({"event": "finish"}) + "\\n")
os._exit(0)
"""
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/price.py": attack,
            "check_tests/test_price.py": TESTS,
        }
    )
    assert not report.green
