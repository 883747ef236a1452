"""`python -m bot.checks`: run check tests and show what came out; the check action calls it."""

import argparse
import os
import re
import secrets
import sys
from pathlib import Path

from bot.base import ExitCode, RepowrightError
from bot.checks.artifact import (
    PROBLEM,
    problem_in_folder,
    report_from_folder,
    tests_in_folder,
)
from bot.checks.environment import Environment, Environments, default_folder
from bot.checks.project import find_tests, read_requirements
from bot.checks.report import COULD_NOT_RUN, NO_TESTS, Report
from bot.checks.runner import CheckJob, run_checks, write_files
from bot.checks.sandbox import make_sandbox
from bot.checks.summary import annotations, outputs, summary
from bot.checks.trend import History, point_of, read_history, trend_svg, with_point


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all check tests passed, or there may be none and are none; 1: not all did; 2:
    wrong use; 3: could not be run."""
    options = _parser().parse_args(arguments)
    if options.command == "summary":
        return _show(options)
    try:
        return _run(options)
    except RepowrightError as error:
        said = COULD_NOT_RUN + error.sentence
        _say_why(options.out, said)
        print(said, file=sys.stderr)
        return 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.checks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run the check tests in the sandbox")
    run.add_argument("--root", type=Path, default=Path(), help="the repository")
    run.add_argument("--tests", nargs="*", default=[], help="below the root; found without")
    run.add_argument("--missing", choices=("fail", "pass"), default="fail", help="without tests")
    run.add_argument("--extras", nargs="*", default=[], help="extras and groups of pyproject.toml")
    run.add_argument(
        "--settings", choices=("tests", "project"), default="tests", help="whose pytest settings"
    )
    run.add_argument("--out", type=Path, required=True, help="where the report's files go")
    run.add_argument("--requirements", help="a requirements file below the root")
    run.add_argument("--environment", type=Path, help="an environment that is made already")
    run.add_argument("--test-seconds", type=float, default=60.0)
    run.add_argument("--total-seconds", type=float, default=600.0)
    run.add_argument("--memory", type=int, default=2048, help="MiB")
    run.add_argument("--sandbox", default="bubblewrap", help='"bubblewrap" or "none"')
    show = commands.add_parser("summary", help="show a report: Markdown, annotations, outputs")
    show.add_argument("--out", type=Path, required=True, help="where the report's files are")
    show.add_argument("--history", type=Path, help="file with earlier runs, which is added to")
    return parser


def _run(options: argparse.Namespace) -> int:
    tests = tuple(options.tests) or find_tests(options.root)
    there = any((options.root / test).exists() for test in tests)
    if not there and options.missing == "pass":
        _say_why(options.out, NO_TESTS)
        print(NO_TESTS)
        return ExitCode.OK
    sandbox = make_sandbox(options.sandbox)
    job = CheckJob(
        root=options.root.absolute(),
        tests=tests or ("check_tests",),
        environment=_environment(options),
        test_seconds=options.test_seconds,
        total_seconds=options.total_seconds,
        memory=options.memory,
        project_settings=options.settings == "project",
    )
    write_files(run_checks(job, sandbox), options.out)
    report = report_from_folder(options.out)
    print(f"{report.passed} passed, {report.failed} failed, {report.skipped} skipped")
    return ExitCode.OK if report.green else ExitCode.FAILED


def _environment(options: argparse.Namespace) -> Environment:
    if options.environment is not None:
        return Environment.at(options.environment.absolute())
    lines = read_requirements(options.root, options.requirements or "", options.extras)
    return Environments(default_folder()).prepare(lines)


def _say_why(out: Path, why: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / PROBLEM).write_text(why, encoding="utf-8")


def _show(options: argparse.Namespace) -> int:
    """Writes where GitHub reads; the report's own text cannot speak as a workflow command."""
    out: Path = options.out
    problem, tests = problem_in_folder(out), tests_in_folder(out)
    report = Report(collected=False, problem=problem) if problem else report_from_folder(out)
    history = History() if problem else _continued(report, options.history)
    out.mkdir(parents=True, exist_ok=True)
    text = summary(report, tests, history)
    (out / "summary.md").write_text(text, encoding="utf-8")
    if history.points:
        (out / "history.json").write_text(history.model_dump_json(), encoding="utf-8")
        (out / "trend.svg").write_text(trend_svg(history), encoding="utf-8")
    _append("GITHUB_STEP_SUMMARY", text)
    _append("GITHUB_OUTPUT", outputs(report))
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text}\n::{token}::")
    for line in annotations(report, tests):
        print(line)
    return ExitCode.OK


def _continued(report: Report, path: Path | None) -> History:
    """The history in the file with this run, which is written back."""
    known = read_history(path.read_bytes()) if path is not None and path.is_file() else History()
    point = point_of(
        report,
        run=_number("GITHUB_RUN_ID"),
        number=_number("GITHUB_RUN_NUMBER"),
        commit=_matching("GITHUB_SHA", "[0-9a-f]{40,64}"),
    )
    history = with_point(known, point)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(history.model_dump_json(), encoding="utf-8")
    return history


def _number(variable: str) -> int:
    return int(_matching(variable, "[0-9]{1,15}") or 0)


def _matching(variable: str, pattern: str) -> str:
    said = os.environ.get(variable, "")
    return said if re.fullmatch(pattern, said) else ""


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
