"""What a report of the check tests means: verdict, better or worse, what was lost."""

from bot.checks.report import Report, TestOutcome, TestResult
from bot.markdown import code, defuse, details, fence, table
from bot.phases.run import RunState
from bot.phases.texts import say
from bot.phases.writing import judge_statically
from bot.spec.model import Location, Spec
from bot.verify.calls import Calls
from bot.verify.evidence import Evidence, Rule, Tool, Verdict, verdict_of
from bot.verify.messages import obligations, unheard


def title_of(report: Report) -> str:
    total = report.passed + report.failed
    if not report.collected or not total:
        return say("title_code_broken", problem=report.problem or "no test was collected")
    key = "title_code_pass" if report.green else "title_code_revise"
    return say(key, passed=report.passed, total=total)


def fails(test: TestResult) -> bool:
    return test.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)


def judge_tests(state: RunState, spec: Spec, files: dict[str, str], report: Report) -> Verdict:
    """Execution of the check tests decides (mechanism 28); static faults are told beside it."""
    tests = [
        Evidence(
            tool=Tool.TESTS,
            rule=Rule.TEST,
            subject=t.id,
            verdict="fault",
            detail=f"{t.id}: {t.exception}: {t.message}"[:400],
            location=_place(t, files),
        )
        for t in report.tests
        if fails(t)
    ]
    if not report.collected or not report.tests:
        problem = report.problem or "no test was collected"
        tests.append(
            Evidence(
                tool=Tool.TESTS, rule=Rule.NOT_RUN, subject=".", verdict="fault", detail=problem
            )
        )
    static = [
        e.model_copy(update={"verdict": "warning"} if report.green else {})
        for e in judge_statically(state, files)
    ]
    messages, asked = _messages(state, spec, files)
    return verdict_of(
        tests,
        static,
        messages,
        checked={Tool.TESTS: len(report.tests), Tool.GATE: len(files), **asked},
    )


def _messages(
    state: RunState, spec: Spec, files: dict[str, str]
) -> tuple[list[Evidence], dict[str, int]]:
    """What no code fulfils of the sequence diagrams, as warnings, and how much they ask for."""
    switches = state.settings.switches
    if not (switches.tools and switches.messages and spec.sequence_diagrams):
        return [], {}
    calls = Calls(files)
    asked = obligations(spec, calls)
    return unheard(asked, calls), {Tool.MESSAGES: len(asked)}


def _place(test: TestResult, files: dict[str, str]) -> Location | None:
    """The innermost frame of a failure inside the project's own files."""
    inside = [f for f in test.frames if f.path in files]
    return Location(file=inside[-1].path, line=inside[-1].line) if inside else None


def is_better(new: Report, old: Report) -> bool:
    """More tests pass; or as many, and more test files can be run; or else none that passed before
    is lost and no more fail."""
    if new.passed != old.passed:
        return new.passed > old.passed
    if new.collected != old.collected:
        return new.collected
    if _unread(new) != _unread(old):
        return _unread(new) < _unread(old)
    return _passing(new) >= _passing(old) and new.failed <= old.failed


def _unread(report: Report) -> int:
    """Test files that cannot even be imported; how many tests they hold is not known."""
    return sum("::" not in t.id for t in report.tests if fails(t))


def _passing(report: Report) -> frozenset[str]:
    return frozenset(t.id for t in report.tests if t.outcome is TestOutcome.PASSED)


def lost_tests(state: RunState, report: Report) -> tuple[str, ...]:
    """Named regressions (mechanism 69): what the best commit passes and this one does not."""
    if state.best is None:
        return ()
    return tuple(sorted(_passing(state.best.report) - _passing(report)))


def failures_table(report: Report, lost: tuple[str, ...], shown: int = 10) -> str:
    """The failing tests, lost ones first."""
    failing = sorted((t for t in report.tests if fails(t)), key=lambda t: (t.id not in lost, t.id))
    if not failing:
        return ""
    rows = [("failing test", "what it says", "")]
    rows += [
        (
            code(t.id),
            defuse(f"{t.exception}: {t.message}".strip(": ")[:240]),
            "⬇️ passed before" if t.id in lost else "",
        )
        for t in failing[:shown]
    ]
    text = table(rows)
    if len(failing) > shown:
        rest = "\n".join(t.id for t in failing[shown:])
        text += "\n\n" + details(f"{len(failing) - shown} more failing tests", fence(rest))
    return text
