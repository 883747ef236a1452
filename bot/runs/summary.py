"""The result of a run as one object: the contract of `repowright run --json`."""

from typing import TypedDict

from bot.phases.run import Phase, RunState
from bot.phases.services import Spent
from bot.ports.experience import Effect


class Tests(TypedDict):
    passed: int
    failed: int
    skipped: int
    total: int


class Tokens(TypedDict):
    input: int
    cache_read: int
    cache_write: int
    output: int


class SecondsSpent(TypedDict):
    total: float
    model: float
    checks: float
    own: float


class Experiences(TypedDict):
    """`repairs` were judged, and `advised` of them were given an experience or more: `given`
    together. The last three are the advised repairs by what came of them."""

    repairs: int
    advised: int
    given: int
    learnt: int
    improved: int
    no_effect: int
    regressed: int


class ToolUse(TypedDict):
    """How often an agent called one of the eight tools in a phase."""

    tool: str
    phase: str
    agent: str
    calls: int


class ContextShown(TypedDict):
    """How much of the project calls were shown: of so many `contexts` the mean in `tokens`, and as
    a `share` of the project's code as it stood after each."""

    contexts: int
    tokens: int
    share: float


class Summary(TypedDict):
    """Documented in docs/contracts.md; keys are only ever added."""

    outcome: str
    note: str
    issue: str
    branch: str
    commit: str
    pull_request: str
    tests: Tests
    iterations: dict[str, int]
    calls: int
    tokens: Tokens
    usd: float
    seconds: SecondsSpent
    experience: Experiences
    tools: list[ToolUse]
    context: ContextShown


def summary_of(state: RunState, spent: Spent) -> Summary:
    """What a script needs to know of a run."""
    report = state.best.report if state.best else None
    seconds = state.seconds
    phases = (Phase.ARCHITECTURE, Phase.SKELETON, Phase.CODE)
    usage = spent.usage
    return Summary(
        outcome=state.outcome.value if state.outcome else "waiting",
        note=state.outcome_note,
        issue=state.issue_url,
        branch=state.branch,
        commit=state.head,
        pull_request=state.pull_request_url,
        tests=Tests(
            passed=report.passed if report else 0,
            failed=report.failed if report else 0,
            skipped=report.skipped if report else 0,
            total=len(report.tests) if report else 0,
        ),
        iterations={p.value: sum(r.phase is p for r in state.rounds) for p in phases},
        calls=spent.calls,
        tokens=Tokens(
            input=usage.input,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            output=usage.output,
        ),
        usd=round(spent.usd, 6),
        seconds=SecondsSpent(
            total=round(seconds.total, 3),
            model=round(seconds.model, 3),
            checks=round(seconds.checks, 3),
            own=round(max(seconds.total - seconds.model - seconds.checks, 0.0), 3),
        ),
        experience=_experiences(state),
        tools=[
            ToolUse(tool=t.tool, phase=t.phase, agent=t.agent, calls=t.calls) for t in state.tools
        ],
        context=_context(state),
    )


def _context(state: RunState) -> ContextShown:
    shown = state.shown
    count = len(shown) or 1
    return ContextShown(
        contexts=len(shown),
        tokens=round(sum(s.tokens for s in shown) / count),
        share=round(sum(s.share for s in shown) / count, 4),
    )


def _experiences(state: RunState) -> Experiences:
    advised = [entry for entry in state.experiences if entry.given]
    effects = [entry.effect for entry in advised]
    return Experiences(
        repairs=len(state.experiences),
        advised=len(advised),
        given=sum(len(entry.given) for entry in advised),
        learnt=len({id_ for entry in state.experiences for id_ in entry.taught}),
        improved=effects.count(Effect.IMPROVED),
        no_effect=effects.count(Effect.NO_EFFECT),
        regressed=effects.count(Effect.REGRESSED),
    )
