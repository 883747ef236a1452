"""What a report of the check tests means: the verdict, and how people see it."""

from collections.abc import Sequence

from bot.checks.report import Report, TestOutcome, TestResult
from bot.markdown import code, defuse, details, fence, table
from bot.phases.ratchet import Step
from bot.phases.run import RunState
from bot.phases.texts import say
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


def judge_tests(
    state: RunState,
    spec: Spec,
    files: dict[str, str],
    report: Report,
    faults: Sequence[Evidence],
) -> Verdict:
    """Execution of the check tests decides (mechanism 28); `faults`, what the tools say of the
    files without running them, are told beside it."""
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
    static = [e.model_copy(update={"verdict": "warning"} if report.green else {}) for e in faults]
    messages, asked = _messages(state, spec, files)
    return verdict_of(
        tests,
        static,
        messages,
        checked={Tool.TESTS: len(report.tests), **_gated(state, files), **asked},
    )


def _gated(state: RunState, files: dict[str, str]) -> dict[str, int]:
    """How many files the static gate looked at, where it is switched on."""
    switches = state.settings.switches
    if not (switches.tools and switches.gate):
        return {}
    return {Tool.GATE: sum(path.endswith(".py") for path in files)}


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


def failures_table(report: Report, step: Step, shown: int = 10) -> str:
    """What the iteration did to the best, then the failing tests, lost ones first, then the lost
    ones that the report does not hold."""
    lost = frozenset(step.lost)
    failing = sorted((t for t in report.tests if fails(t)), key=lambda t: (t.id not in lost, t.id))
    failed = {t.id for t in failing}
    told = [(t.id, f"{t.exception}: {t.message}".strip(": ")[:240]) for t in failing]
    told += [(id_, say("step_lost")) for id_ in step.lost if id_ not in failed]
    if not told:
        return step.why
    rows = [("failing test", "what it says", "")]
    rows += [
        (code(id_), defuse(says), "⬇️ passed before" if id_ in lost else "")
        for id_, says in told[:shown]
    ]
    text = f"{step.why}\n\n{table(rows)}"
    if len(told) > shown:
        rest = "\n".join(id_ for id_, _ in told[shown:])
        text += "\n\n" + details(f"{len(told) - shown} more failing tests", fence(rest))
    return text
