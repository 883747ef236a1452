"""`python -m bot.checks`: run check tests and show what came out; the check action calls it."""

import argparse
import os
import secrets
import sys
from pathlib import Path

from bot.base import ExitCode, RepowrightError
from bot.checks.artifact import report_from_folder
from bot.checks.environment import Environment, Environments, default_folder
from bot.checks.report import COULD_NOT_RUN
from bot.checks.requirements import project_requirements
from bot.checks.runner import CheckJob, run_checks, write_files
from bot.checks.sandbox import make_sandbox
from bot.checks.summary import annotations, outputs, summary


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all check tests passed; 1: not all did; 2: wrong use; 3: could not be run."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options) if options.command == "run" else _show(options)
    except RepowrightError as error:
        print(f"{COULD_NOT_RUN}{error.sentence}", file=sys.stderr)
        return 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.checks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run the check tests in the sandbox")
    run.add_argument("--root", type=Path, default=Path(), help="the repository")
    run.add_argument("--tests", nargs="+", default=["check_tests"], help="below the root")
    run.add_argument("--out", type=Path, required=True, help="where the report's files go")
    run.add_argument("--requirements", help="a requirements file below the root")
    run.add_argument("--environment", type=Path, help="an environment that is made already")
    run.add_argument("--test-seconds", type=float, default=60.0)
    run.add_argument("--total-seconds", type=float, default=600.0)
    run.add_argument("--memory", type=int, default=2048, help="MiB")
    run.add_argument("--sandbox", default="bubblewrap", help='"bubblewrap" or "none"')
    show = commands.add_parser("summary", help="show a report: Markdown, annotations, outputs")
    show.add_argument("--out", type=Path, required=True, help="where the report's files are")
    show.add_argument("--tests", nargs="+", default=["check_tests"])
    return parser


def _run(options: argparse.Namespace) -> int:
    sandbox = make_sandbox(options.sandbox)
    job = CheckJob(
        root=options.root.absolute(),
        tests=tuple(options.tests),
        environment=_environment(options),
        test_seconds=options.test_seconds,
        total_seconds=options.total_seconds,
        memory=options.memory,
    )
    write_files(run_checks(job, sandbox), options.out)
    report = report_from_folder(options.out)
    print(f"{report.passed} passed, {report.failed} failed, {report.skipped} skipped")
    return ExitCode.OK if report.green else ExitCode.FAILED


def _environment(options: argparse.Namespace) -> Environment:
    if options.environment is not None:
        return Environment.at(options.environment.absolute())
    names = ["requirements.txt", "pyproject.toml"]
    files = {name: options.root / name for name in names}
    if options.requirements:
        files["requirements.txt"] = options.root / options.requirements
    texts = {name: path.read_bytes() for name, path in files.items() if path.is_file()}
    return Environments(default_folder()).prepare(project_requirements(texts))


def _show(options: argparse.Namespace) -> int:
    """Writes where GitHub reads; the report's own text cannot speak as a workflow command."""
    report = report_from_folder(options.out)
    tests = tuple(options.tests)
    text = summary(report, tests)
    (options.out / "summary.md").write_text(text, encoding="utf-8")
    _append("GITHUB_STEP_SUMMARY", text)
    _append("GITHUB_OUTPUT", outputs(report))
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text}\n::{token}::")
    for line in annotations(report, tests):
        print(line)
    return ExitCode.OK


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
