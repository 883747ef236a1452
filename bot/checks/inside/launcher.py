"""Runs a project's check tests inside the sandbox: `python -sP launcher.py JOB.json`.

It is started by the project's environment and imports nothing but pytest and coverage, both before
the project's folder is on the path, so that no file of the project can stand in for them. What it
does and sees goes into files beside the JUnit XML, one JSON object a line, as it happens: so a
crash loses nothing of what came before.
"""

import json
import os
import sys
import unittest
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import coverage
import pytest

MOST_FRAMES = 30
LONGEST_MESSAGE = 2000
LONGEST_DETAIL = 8000
MOST_FOLLOWED = 40
# How pytest explains that a test which is to run once for each of some values has none.
EMPTY = "got empty parameter set"
EVASIONS = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)


class Probe:
    """A pytest plugin that writes down what happens, keeps tests out that have crashed, and lets
    only the check tests themselves say what is skipped."""

    def __init__(
        self,
        root: Path,
        tests: Sequence[str],
        log: Path,
        skip: Sequence[str],
        measured: coverage.Coverage,
        source: str | None,
    ) -> None:
        self.outcomes: dict[str, bool] = {}
        self._root = root
        self._path = [path for path in (source, str(root)) if path]
        self._measured = measured
        self._tests = tuple(tests)
        self._skip = frozenset(skip)
        self._log = log.open("a", encoding="utf-8")

    def note(self, event: str, **fields: Any) -> None:
        self._log.write(json.dumps({"event": event, **fields}) + "\n")
        self._log.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        """Plugins of the environment are loaded by now, so the project cannot add its own."""
        sys.path[:0] = self._path
        os.environ["PYTHONPATH"] = os.pathsep.join(self._path)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if self._relative(collection_path) in self._skip else None

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        dropped = [item for item in items if item.nodeid in self._skip]
        items[:] = [item for item in items if item.nodeid not in self._skip]
        config.hook.pytest_deselected(items=dropped)

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        if isinstance(collector, pytest.File):
            self.note("collect", id=collector.nodeid)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            item.user_properties.append(("nodeid", item.nodeid))
        self.note("collected", ids=[item.nodeid for item in session.items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.note("start", id=nodeid)
        self._measured.switch_context(nodeid)

    def pytest_runtest_logfinish(self) -> None:
        self._measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.note(
            "phase",
            id=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            seconds=report.duration,
        )
        well = report.outcome == "passed" and self.outcomes.get(report.nodeid, True)
        self.outcomes[report.nodeid] = well

    def pytest_exception_interact(
        self,
        node: pytest.Item | pytest.Collector,
        call: pytest.CallInfo[Any],
        report: pytest.CollectReport | pytest.TestReport,
    ) -> None:
        if call.excinfo is None:
            return
        info = _original(call.excinfo)
        _, _, text = info.exconly().partition(": ")
        self.note(
            "failure",
            id=node.nodeid,
            exception=info.type.__name__,
            message=text[:LONGEST_MESSAGE],
            detail=report.longreprtext[:LONGEST_DETAIL],
            frames=self._frames(info),
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        info = call.excinfo  # pytest puts its own in place of unittest's SkipTest
        report = yield
        if report.outcome == "skipped" and self._refuse(item.nodeid, info, report):
            vars(report).pop("wasxfail", None)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        call = vars(report).get("call")
        if report.outcome == "skipped" and call is not None:
            self._refuse(collector.nodeid, call.excinfo, report)
        return report

    def _refuse(
        self,
        node: str,
        info: pytest.ExceptionInfo[BaseException] | None,
        report: pytest.TestReport | pytest.CollectReport,
    ) -> bool:
        """Count a skip as a failure where the code under test asked for it, or left the test
        nothing to run with."""
        if info is None or not isinstance(info.value, EVASIONS):
            return False
        frames = self._frames(info)
        empty = str(info.value).startswith(EMPTY)
        if not empty and (not frames or self._is_test(frames[-1]["path"])):
            return False
        message = f"the code skipped its own test: {info.value}"[:LONGEST_MESSAGE]
        report.outcome = "failed"
        report.longrepr = message
        name = info.type.__name__
        self.note(
            "failure", id=node, exception=name, message=message, detail=message, frames=frames
        )
        return True

    def _is_test(self, path: str) -> bool:
        return any(path == test or path.startswith(f"{test}/") for test in self._tests)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.note("finish", exit=int(exitstatus))

    def _frames(self, info: pytest.ExceptionInfo[BaseException]) -> list[dict[str, Any]]:
        """Frames of the project, outermost first; for bad syntax also the line that has it."""
        frames = [
            {"path": path, "line": entry.lineno + 1, "function": entry.name}
            for entry in info.traceback
            if (path := self._relative(Path(str(entry.path)))) is not None
        ]
        error = info.value
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            path = self._relative(Path(error.filename))
            if path is not None:
                frames.append({"path": path, "line": error.lineno, "function": ""})
        return frames[:1] + frames[1:][-(MOST_FRAMES - 1) :]

    def _relative(self, path: Path) -> str | None:
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else None


def _original(info: pytest.ExceptionInfo[BaseException]) -> pytest.ExceptionInfo[BaseException]:
    """pytest wraps what happens at an import in its own error; the cause tells more."""
    cause = info.value.__cause__
    if isinstance(info.value, pytest.Collector.CollectError) and cause is not None:
        return pytest.ExceptionInfo.from_exception(cause)
    return info


def arguments(job: dict[str, Any]) -> list[str]:
    """pytest's command line: our configuration, and nothing read from the project's folder, unless
    the project's own settings are to count; options in them never do, for they ask for plugins
    that measure and distribute in ways of their own."""
    ours = job["configuration"]
    return [
        *(("-c", ours) if ours is not None else ()),
        *("--rootdir", job["root"], "--confcutdir", job["confcutdir"], "-o", "addopts="),
        *("-p", "no:cacheprovider", "-p", "no:pastebin"),
        *("--continue-on-collection-errors", "--show-capture=no", "--tb=short"),
        *("-q", "--no-header", "--color=no"),
        *("--timeout", str(job["test_seconds"]), "--timeout-method=signal"),
        *("--junitxml", job["junit"], "-o", "junit_family=xunit2", "-o", "junit_logging=no"),
        *job["tests"],
    ]


def spectrum(data: coverage.CoverageData, root: Path, outcomes: dict[str, bool]) -> dict[str, Any]:
    """Which lines the tests ran: for each line how many that passed, and the lines of those that
    did not, of the first so many of them."""
    followed = [test for test, well in outcomes.items() if not well][:MOST_FOLLOWED]
    passed: dict[str, dict[int, int]] = {}
    failed: dict[str, dict[str, list[int]]] = {test: {} for test in followed}
    for file in sorted(data.measured_files()):
        path = Path(file)
        if not followed or not path.is_relative_to(root):
            continue
        name = path.relative_to(root).as_posix()
        for line, tests in sorted(data.contexts_by_lineno(file).items()):
            count = sum(outcomes.get(test, False) for test in tests)
            if count:
                passed.setdefault(name, {})[line] = count
            for test in failed.keys() & set(tests):
                failed[test].setdefault(name, []).append(line)
    return {"passed": sum(outcomes.values()), "lines": passed, "failed": failed}


def main(job_file: str) -> int:
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    root = Path(job["root"])
    measured = coverage.Coverage(
        data_file=None,
        config_file=False,
        source=[str(root)],
        omit=[str(root / test / rest) for test in job["tests"] for rest in ("", "**")],
    )
    measured.set_option("report:include_namespace_packages", True)
    probe = Probe(root, job["tests"], Path(job["log"]), job["skip"], measured, job["source"])
    measured.start()
    try:
        code = int(pytest.main(arguments(job), plugins=[probe]))
    finally:
        measured.stop()
    try:
        measured.json_report(outfile=job["coverage"], ignore_errors=True)
    except coverage.CoverageException as error:
        print(f"no coverage: {error}")
    told = spectrum(measured.get_data(), root, probe.outcomes)
    Path(job["spectrum"]).write_text(json.dumps(told), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
