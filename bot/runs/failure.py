"""Start a repair of code that the bot did not write: from a check run in which its tests failed."""

import ast
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement
from pydantic import ValidationError

from bot.agents.installs import asked
from bot.base import RepowrightError
from bot.checks.artifact import UNUSABLE
from bot.checks.report import Report
from bot.checks.results import RunFacts, read_report
from bot.config import Settings
from bot.markdown import code, defuse, table
from bot.phases.judging import fails
from bot.phases.repairs import as_feedback, targets_of
from bot.phases.run import Best, RunState
from bot.phases.texts import page, say
from bot.phases.tree import own_texts, texts_of
from bot.phases.writing import judge_statically
from bot.ports.forge import Forge
from bot.ports.git import GitStore
from bot.runs.repository import settings_here
from bot.runs.start import begun
from bot.spec.code import spec_of_code
from bot.spec.model import Spec
from bot.spec.own_tests import own_tests
from bot.state.grown import project_of_code
from bot.state.model import Feedback, Snapshot
from bot.syntax import parse
from bot.verify.imports import distributions, is_available

_MOST_ROWS = 15
_MOST_KNOWN = 2_000


class NothingToMend(RepowrightError):
    """A report that tells of no failing test."""


def failure_issue(base_branch: str, report: Report, forge: Forge) -> int:
    """The open issue on which the repair of this branch is told of, opened where there is none.
    Raise NothingToMend where no test fails."""
    _check(report)
    failing = [t for t in report.tests if fails(t)]
    rows = [(say("failure_test"), say("failure_says"))]
    rows += [
        (code(t.id), defuse(f"{t.exception}: {_first_line(t.message)}".strip(": ")[:240]))
        for t in failing[:_MOST_ROWS]
    ]
    rest = len(failing) - _MOST_ROWS
    body = page(
        "failure_issue",
        branch=base_branch,
        collected=report.collected,
        problem=report.problem,
        failed=report.failed,
        total=report.passed + report.failed,
        tests=table(rows) if failing else "",
        more=say("cause_more", rest=rest) if rest > 0 else "",
    )
    title = say("title_failure_issue", branch=code(base_branch))
    return forge.open_issue(f"tests-fail:{base_branch}", title=title, body=body)


def holds_code(tree: Mapping[str, bytes], folder: str, files: Mapping[str, bytes]) -> bool:
    """Whether a tree holds Python beside the tests in `folder` and those that the check's `files`
    tell of: where it does not, it waits for its code to be written, and nothing can be mended."""
    texts = texts_of(tree)
    ran = tuple(test.id for test in read_report(files).tests)
    tests = {p for f in (folder, *_ran(files)) for p in own_tests(texts, f, ran)}
    own = (t for p, t in texts.items() if p.endswith(".py") and p not in {*tests, "setup.py"})
    return any(text.strip() for text in own)


def new_repair(
    number: int,
    settings: Settings,
    forge: Forge,
    git: GitStore,
    clock: Callable[[], datetime],
    *,
    base: str,
    files: Mapping[str, bytes],
    previous: RunState | None = None,
) -> tuple[RunState, Spec]:
    """The state before the first leg of a repair that is told of on issue `number`. `base` is the
    commit of the default branch whose tests failed, `files` what the check action wrote of that
    (see bot.checks.results.read_report); `previous` is the issue's run before, as for `new_run`.
    Raise NothingToMend where no test fails, and SettingsRefused as `new_run` does."""
    report = read_report(files)
    _check(report)
    git.fetch()
    if not git.holds(base):
        raise RepowrightError("no branch holds the commit whose tests failed", where=base)
    tree = git.read(base)
    issue = forge.issue(number)
    applied = settings_here(tree, settings)
    found = {"check_tests": _folder(applied.settings.check_tests, tree, files)}
    applied = applied.model_copy(update={"settings": applied.settings.model_copy(update=found)})
    texts = texts_of(tree)
    tests = own_tests(texts, applied.settings.check_tests, (t.id for t in report.tests))
    requirements = _requirements({p: t for p, t in texts.items() if p not in tests})
    title = say("title_of_repair", branch=forge.repository().default_branch)
    spec = spec_of_code(title, tree, tests=tests, requirements=requirements, commit=base)
    state = begun(issue, spec, applied, forge, git, clock(), previous=previous)
    return _standing_on(state, spec, base, tree, report, forge), spec


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _folder(chosen: str, tree: Mapping[str, bytes], files: Mapping[str, bytes]) -> str:
    """The folder of the tests: the one that the settings choose, else what the check found."""

    def holds(folder: str) -> bool:
        return any(path.startswith(f"{folder}/") for path in tree)

    return next((folder for folder in (chosen, *_ran(files)) if holds(folder)), chosen)


def _ran(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The folders whose tests the check ran."""
    try:
        return RunFacts.model_validate_json(files.get("run.json", b"")).tests
    except ValidationError:
        return ()


def _check(report: Report) -> None:
    """Raise NothingToMend where a report gives no reason to change code."""
    if report.green or (report.collected and not report.failed):
        raise NothingToMend("no test fails", hint="there is nothing to mend")
    if not report.collected and (not report.log_tail or report.problem.startswith(UNUSABLE)):
        raise NothingToMend(report.problem, hint="run the check again")


def _standing_on(
    state: RunState,
    spec: Spec,
    base: str,
    tree: Mapping[str, bytes],
    report: Report,
    forge: Forge,
) -> RunState:
    """The state whose best commit is the base, with its report: nothing worse is delivered."""
    branch = forge.repository().default_branch
    state = state.model_copy(
        update={
            "origin": "failure",
            "base_branch": branch,
            "default_branch": branch,
            "base_commit": base,
            "head": base,
            "best": Best(commit=base, report=report),
            "requirements": spec.requirements,
        }
    )
    files = own_texts(tree, spec, state.settings.check_tests)
    shot = Snapshot(phase="code", iteration=0, commit=base)
    project = project_of_code(files).model_copy(update={"snapshots": (shot,)})
    state = state.model_copy(update={"project": project})
    known = tuple(e.detail for e in judge_statically(state, files))[:_MOST_KNOWN]
    feedback = Feedback(
        failed_tests=tuple(t.id for t in report.tests if fails(t)),
        targets=as_feedback(targets_of(state, spec, files, report, ())),
    )
    project = project.model_copy(update={"feedback": feedback})
    return state.model_copy(update={"project": project, "known": known})


def _requirements(texts: Mapping[str, str]) -> tuple[str, ...]:
    """What may be counted on to be installed: packages that the repository asks for by their names,
    and what its code imports already."""
    lines = (line for path, text in texts.items() for line in asked(path, text).lines)
    named = dict.fromkeys(line for line in lines if _is_plain(line))
    installed = distributions(named)
    foreign = _imported(texts) - _own_names(texts)
    return (*named, *sorted(r for r in foreign if not is_available(r, installed)))


def _is_plain(line: str) -> bool:
    try:
        return Requirement(line).url is None
    except InvalidRequirement:
        return False


def _imported(texts: Mapping[str, str]) -> set[str]:
    """Names at the top of what the code imports from elsewhere."""
    found: set[str] = set()
    for path, text in texts.items():
        try:
            nodes = list(ast.walk(parse(text))) if path.endswith(".py") else []
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in nodes:
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


def _own_names(texts: Mapping[str, str]) -> set[str]:
    """Names under which the repository's own code may be imported, from whatever folder."""
    paths = [PurePosixPath(path) for path in texts if path.endswith(".py")]
    return {path.stem for path in paths} | {part for path in paths for part in path.parts[:-1]}
