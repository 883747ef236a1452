"""A project's check tests, run in the sandbox: what the report says, and what cannot sway it."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bot.base import RepowrightError
from bot.checks.environment import Environment
from bot.checks.report import Report, TestOutcome, TestResult
from bot.checks.runner import CheckJob, check
from bot.ports.sandbox import Sandbox

Check = Callable[..., Report]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture
def checked(sandbox: Sandbox, project: Path) -> Check:
    """Write files, run the check tests, return the report."""

    def run(files: dict[str, str], **options: Any) -> Report:
        for name, text in files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        job = CheckJob(
            root=project,
            tests=options.get("tests", ("check_tests",)),
            project_settings=options.get("project_settings", False),
            environment=Environment.at(Path(sys.prefix)),
            test_seconds=options.get("test_seconds", 20),
            total_seconds=options.get("total_seconds", 60),
        )
        return check(job, sandbox)

    return run


def only(report: Report) -> TestResult:
    (result,) = report.tests
    return result


def test_passing_and_failing_tests_with_frames_and_coverage(checked: Check) -> None:
    report = checked(
        {
            "shop/__init__.py": "",
            "shop/prices.py": """\
                def total(prices):
                    return check(sum(prices))

                def check(amount):
                    if amount < 0:
                        raise ValueError(f"negative: {amount}")
                    return amount

                def unused():
                    return 1
                """,
            "shop/never_imported.py": "x = 1\n",
            "check_tests/test_prices.py": """\
                import pytest
                from shop.prices import total

                def test_sum():
                    assert total([1, 2]) == 3

                def test_refund():
                    assert total([-1]) == -1

                class TestMore:
                    @pytest.mark.parametrize("n", [1, 2])
                    def test_one(self, n):
                        assert total([n]) == 1

                @pytest.mark.skip(reason="later")
                def test_later():
                    pass
                """,
        }
    )
    assert report.problem == ""
    assert [(t.id, t.outcome) for t in report.tests] == [
        ("check_tests/test_prices.py::test_sum", TestOutcome.PASSED),
        ("check_tests/test_prices.py::test_refund", TestOutcome.FAILED),
        ("check_tests/test_prices.py::TestMore::test_one[1]", TestOutcome.PASSED),
        ("check_tests/test_prices.py::TestMore::test_one[2]", TestOutcome.FAILED),
        ("check_tests/test_prices.py::test_later", TestOutcome.SKIPPED),
    ]
    assert (report.passed, report.failed, report.skipped, report.green) == (2, 2, 1, False)
    refund = report.tests[1]
    assert (refund.exception, refund.message) == ("ValueError", "negative: -1")
    assert [(f.path, f.line, f.function) for f in refund.frames] == [
        ("check_tests/test_prices.py", 8, "test_refund"),
        ("shop/prices.py", 2, "total"),
        ("shop/prices.py", 6, "check"),
    ]
    assert 'raise ValueError(f"negative: {amount}")' in refund.detail
    assert report.tests[3].message.startswith("assert 2 == 1")
    assert {f.path: (f.covered, f.statements) for f in report.coverage} == {
        "shop/prices.py": (7, 8),
        "shop/never_imported.py": (0, 1),
    }


def test_all_passing_is_green(checked: Check) -> None:
    assert checked({"check_tests/test_x.py": "def test_x(): pass\n"}).green


def test_a_broken_import_is_an_error_of_its_file_and_hides_no_other(checked: Check) -> None:
    report = checked(
        {
            "app.py": "from helpers import gone\n",
            "helpers.py": "",
            "check_tests/test_app.py": "import app\ndef test_app(): pass\n",
            "check_tests/test_other.py": "def test_other(): pass\n",
        }
    )
    broken, fine = report.tests
    assert (broken.id, broken.outcome) == ("check_tests/test_app.py", TestOutcome.ERROR)
    assert broken.exception == "ImportError"
    assert broken.message == "cannot import name 'gone' from 'helpers' (<project>/helpers.py)"
    assert [(f.path, f.line) for f in broken.frames] == [
        ("check_tests/test_app.py", 1),
        ("app.py", 1),
    ]
    assert fine.outcome is TestOutcome.PASSED
    assert report.collected


def test_bad_syntax_points_at_its_line(checked: Check) -> None:
    report = checked(
        {
            "app.py": "x = 1\ndef broken(:\n",
            "check_tests/test_app.py": "import app\ndef test_app(): pass\n",
        }
    )
    result = only(report)
    assert result.exception == "SyntaxError"
    assert (result.frames[-1].path, result.frames[-1].line) == ("app.py", 2)


def test_no_tests_found_is_a_problem(checked: Check) -> None:
    report = checked({"check_tests/readme.txt": "nothing"})
    assert (report.collected, report.problem, report.tests) == (False, "no tests were found", ())


def test_missing_check_tests_are_said(checked: Check) -> None:
    with pytest.raises(RepowrightError, match="there are no check tests"):
        checked({"app.py": ""})


def test_a_check_conftest_that_fails_is_a_problem(checked: Check) -> None:
    report = checked(
        {
            "check_tests/conftest.py": "raise RuntimeError('no database')\n",
            "check_tests/test_x.py": "def test_x(): pass\n",
        }
    )
    assert not report.collected
    assert report.problem == "pytest could not start: RuntimeError: no database"
    assert "no database" in report.log_tail


def test_a_crash_costs_only_the_test_that_crashes(checked: Check) -> None:
    report = checked(
        {
            "app.py": "import os\ndef die(): os.abort()\ndef leave(): os._exit(0)\n",
            "check_tests/test_app.py": """\
                import app
                def test_before(): pass
                def test_dies(): app.die()
                def test_between(): pass
                def test_leaves(): app.leave()
                def test_after(): assert 0
                """,
        }
    )
    said = {
        t.id.partition("::")[2]: (t.outcome.value, t.exception, t.message) for t in report.tests
    }
    assert said == {
        "test_before": ("passed", "", ""),
        "test_dies": ("error", "Crash", "the interpreter was ended by SIGABRT"),
        "test_between": ("passed", "", ""),
        "test_leaves": ("error", "Crash", "the interpreter ended with exit code 0"),
        "test_after": ("failed", "AssertionError", "assert 0"),
    }
    assert not report.green


def test_a_slow_test_times_out_and_the_others_run(checked: Check) -> None:
    report = checked(
        {
            "check_tests/test_app.py": """\
                import time
                def test_slow(): time.sleep(60)
                def test_quick(): pass
                """,
        },
        test_seconds=0.5,
    )
    slow, quick = report.tests
    assert (slow.outcome, slow.exception) == (TestOutcome.FAILED, "Timeout")
    assert quick.outcome is TestOutcome.PASSED


def test_a_hang_that_swallows_its_timeout_ends_with_the_total_time(checked: Check) -> None:
    report = checked(
        {
            "check_tests/test_app.py": """\
                import time
                def test_before(): pass
                def test_hang():
                    while True:
                        try: time.sleep(60)
                        except BaseException: pass
                def test_after(): pass
                """,
        },
        test_seconds=0.2,
        total_seconds=2,
    )
    said = {t.id.partition("::")[2]: (t.outcome.value, t.exception) for t in report.tests}
    assert said == {
        "test_before": ("passed", ""),
        "test_hang": ("error", "Timeout"),
        "test_after": ("error", "NotRun"),
    }
    assert report.problem == (
        "the checks were stopped when their time was over in check_tests/test_app.py::test_hang"
    )


def test_a_flood_of_output_changes_nothing(checked: Check) -> None:
    report = checked(
        {
            "check_tests/test_app.py": """\
                def test_loud():
                    for _ in range(20_000): print("x" * 1000)
                    assert 0
                """,
        }
    )
    assert (only(report).exception, report.problem) == ("AssertionError", "")
    assert len(report.log_tail) < 10_000


def test_two_runs_say_the_same(checked: Check) -> None:
    files = {
        "app.py": "class Thing: pass\n",
        "check_tests/test_app.py": """\
            import app, tempfile, pytest
            @pytest.mark.parametrize("x", [object()])
            def test_address(x): assert app.Thing() == x
            def test_folder(tmp_path): (tmp_path / "gone").read_text()
            def test_temporary(): raise RuntimeError(tempfile.mkdtemp())
            def test_module(): raise RuntimeError(app.__file__)
            def test_set(): assert {"a", "b", "c"} == {"d"}
            """,
    }
    first, second = checked(files), checked(files)
    timeless = [
        [t.model_copy(update={"seconds": 0.0}) for t in report.tests] for report in (first, second)
    ]
    assert timeless[0] == timeless[1]
    assert first.tests[2].message == "<tmp>"
    assert first.tests[3].message == "app.py"


LEAVE = "import os; os._exit(0)\n"
SWAYING = {
    "settings": {
        "conftest.py": "def pytest_collection_modifyitems(items): items.clear()\n",
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n"
        "[tool.coverage.run]\nomit=['*']\n",
        "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
        "tox.ini": "[pytest]\naddopts = --collect-only\n",
        ".coveragerc": "[run]\nomit = *\n",
    },
    "start-up": {"sitecustomize.py": LEAVE, "usercustomize.py": LEAVE, "x.pth": LEAVE},
    "stand-ins": {
        "pytest.py": LEAVE,
        "coverage.py": LEAVE,
        "_pytest/__init__.py": LEAVE,
        "pytest_timeout.py": LEAVE,
        "json.py": LEAVE,
        "launcher.py": LEAVE,
    },
    "plugins": {
        "evil.py": LEAVE,
        "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    },
}


@pytest.mark.parametrize("kind", list(SWAYING))
def test_files_of_the_project_do_not_sway_the_check(checked: Check, kind: str) -> None:
    report = checked(
        {
            **SWAYING[kind],
            "app.py": "def one():\n    return 1\n",
            "check_tests/test_app.py": """\
                import app
                def test_right(): assert app.one() == 1
                def test_wrong(): assert app.one() == 2
                """,
        }
    )
    assert (report.passed, report.failed) == (1, 1)
    assert [f.covered for f in report.coverage if f.path == "app.py"] == [2]


def test_the_specification_may_configure_pytest_beside_its_tests(checked: Check) -> None:
    report = checked(
        {
            "check_tests/pytest.ini": "[pytest]\npython_functions = check_*\n",
            "check_tests/conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 1\n",
            "check_tests/test_app.py": "def check_it(one): assert one == 1\ndef test_x(): 1 / 0\n",
        }
    )
    assert [t.id for t in report.tests] == ["check_tests/test_app.py::check_it"]


def test_a_projects_own_settings_count_where_it_is_asked_for(checked: Check) -> None:
    files = {
        "pyproject.toml": """\
            [tool.pytest.ini_options]
            python_functions = "check_*"
            addopts = "--no-such-option"
            """,
        "conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 1\n",
        "src/shop/__init__.py": "def total(n): return n\n",
        "tests/test_shop.py": "import shop\ndef check_it(one): assert shop.total(one) == 1\n",
    }
    report = checked(files, tests=("tests/test_shop.py",), project_settings=True)
    assert [(t.id, t.outcome) for t in report.tests] == [
        ("tests/test_shop.py::check_it", TestOutcome.PASSED)
    ]
    assert [(f.path, f.covered) for f in report.coverage] == [
        ("conftest.py", 3),
        ("src/shop/__init__.py", 1),
    ]
    assert only(checked(files, tests=("tests/test_shop.py",))).exception == "ModuleNotFoundError"


def test_the_repository_is_as_before_whatever_the_code_does(checked: Check, project: Path) -> None:
    report = checked(
        {
            ".git/config": "[core]\n",
            "app.py": "x = 1\n",
            "check_tests/test_app.py": """\
                from pathlib import Path
                def test_writes():
                    Path("app.py").write_text("changed")
                    Path("new.txt").write_text("new")
                    assert not Path(".git").exists()
                """,
        }
    )
    assert report.green
    assert (project / "app.py").read_text() == "x = 1\n"
    assert not (project / "new.txt").exists()


def test_folders_made_to_stay_are_removed_all_the_same(
    checked: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    report = checked(
        {
            "check_tests/test_app.py": """\
                import os
                def test_locked():
                    os.mkdir("locked"); open("locked/file", "w").close(); os.chmod("locked", 0)
                def test_deep():
                    for _ in range(1100):
                        os.mkdir("d"); os.chdir("d")
                """,
        }
    )
    assert report.green
    assert list(scratch.iterdir()) == []


def test_a_report_that_is_a_link_is_not_followed(checked: Check, tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<testsuites><testsuite><testcase name='secret'/></testsuite></testsuites>")
    report = checked(
        {
            "check_tests/test_app.py": f"""\
                import atexit, os
                from pathlib import Path
                def swap():
                    out = Path.cwd().parent / "out" / "junit.xml"
                    out.unlink(); out.symlink_to({str(secret)!r})
                def test_x(): atexit.register(swap)
                """,
        }
    )
    assert "secret" not in report.model_dump_json()
    assert [t.id for t in report.tests] == ["check_tests/test_app.py::test_x"]


def test_the_code_cannot_reach_the_network_or_secrets(
    checked: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    report = checked(
        {
            "check_tests/test_app.py": """\
                import os, socket, pytest
                def test_no_network():
                    with pytest.raises(OSError): socket.create_connection(("192.0.2.1", 80), 2)
                def test_no_secret(): assert "GITHUB_TOKEN" not in os.environ
                """,
        }
    )
    assert report.green


def test_programs_started_by_a_test_find_the_project(checked: Check) -> None:
    report = checked(
        {
            "app/__init__.py": "",
            "app/__main__.py": "print('from the project')\n",
            "check_tests/test_app.py": """\
                import subprocess, sys
                def test_main():
                    said = subprocess.check_output([sys.executable, "-m", "app"], text=True)
                    assert said == "from the project\\n"
                """,
        }
    )
    assert report.green
