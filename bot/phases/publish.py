"""What people see of a run: the progress comment, the pull request's text, one review a round."""

from collections.abc import Sequence
from contextlib import suppress

from bot.base import Data
from bot.markdown import fence, truncate
from bot.markdown import line as line_of
from bot.phases.picture import picture
from bot.phases.repairtext import repair_page, tried_list
from bot.phases.run import Phase, Round, RunState
from bot.phases.services import Services
from bot.phases.show import (
    SIGNS,
    context_sentence,
    drift_table,
    duration,
    faults_table,
    next_sentence,
    problems_table,
    quoted,
    rounds_table,
    sign,
    structure_list,
    todo,
    tools_table,
    trend,
)
from bot.phases.texts import page, say
from bot.phases.tree import project_texts
from bot.phases.workflow import missing_workflow
from bot.ports.forge import CheckAnnotation, Locked, ReviewComment
from bot.spec.model import Location, Spec
from bot.verify.evidence import Evidence, Rule, Verdict
from bot.verify.tools.places import lines_of

_LIMIT = 60_000
_INLINE = 30


class Cost(Data):
    """What one round took."""

    usd: float
    calls: int
    seconds: float


def cost_of_round(state: RunState, services: Services) -> Cost:
    """What was spent since the last round was closed."""
    spent = services.record.spent()
    return Cost(
        usd=spent.usd - sum(r.usd for r in state.rounds),
        calls=spent.calls - sum(r.calls for r in state.rounds),
        seconds=elapsed(state, services) - sum(r.seconds for r in state.rounds),
    )


def review(
    state: RunState,
    services: Services,
    verdict: Verdict,
    *,
    title: str,
    cost: Cost,
    following: str,
    agenda: str = "",
    diagnosis: str = "",
    experience: str = "",
    comments: tuple[ReviewComment, ...] = (),
    broken: bool = False,
) -> str:
    """Publish the judge's verdict on the head commit: a review and a check run; return the
    review's address."""
    phase = Phase.CODE if state.phase is Phase.CHECK else state.phase
    body = page(
        "review",
        sign="❌" if broken and not verdict.passed else SIGNS[verdict.word],
        phase=phase.value,
        iteration=state.iteration,
        title=title,
        tools=tools_table(verdict),
        faults=faults_table(verdict),
        agenda=agenda,
        diagnosis=quoted("What the fixer thought", diagnosis),
        experience=experience,
        drift=drift_table(state.project) if _follows_code(state) else "",
        calls=cost.calls,
        usd=cost.usd,
        duration=duration(cost.seconds),
        next=following,
    )
    body = truncate(body, _LIMIT, "The rest is in the check run.")
    step = f"{phase.value}.{state.iteration}"
    address = ""
    # On a locked pull request the check run alone says it.
    with suppress(Locked):
        address = services.forge.review(
            state.mark(f"review.{step}"),
            state.pull_request,
            commit=state.head,
            body=body,
            comments=comments[:_INLINE],
        )
    services.forge.check_run(
        state.mark(f"judge.{step}"),
        name="repowright / judge",
        commit=state.head,
        conclusion="success" if verdict.passed else "neutral" if not broken else "failure",
        title=title,
        summary=body,
        annotations=tuple(
            CheckAnnotation(path=c.path, line=c.line, level="warning", message=c.body[:4000])
            for c in comments[:_INLINE]
        ),
    )
    return address


def _follows_code(state: RunState) -> bool:
    """Whether the state knows the code; a plan alone must not be shown as what agrees with it."""
    before_code = state.phase in (Phase.OPEN, Phase.ARCHITECTURE, Phase.SKELETON)
    return before_code or state.settings.switches.co_evolution


def inline(faults: Sequence[Evidence], head_files: dict[str, str]) -> tuple[ReviewComment, ...]:
    """Review comments for evidence that has a place in the repository."""
    by_line: dict[tuple[str, int], list[str]] = {}
    for fault in faults:
        place = _in_code(fault, head_files) if fault.rule is Rule.MESSAGE else fault.location
        if place is None or place.file not in head_files:
            continue
        line = min(place.line, head_files[place.file].count("\n") or 1)
        by_line.setdefault((place.file, line), []).append(line_of(fault.detail))
    return tuple(
        ReviewComment(path=path, line=line, body="\n\n".join(dict.fromkeys(texts)))
        for (path, line), texts in sorted(by_line.items())
    )


def _in_code(message: Evidence, head_files: dict[str, str]) -> Location | None:
    """Where the definition stands that does not do what a message in a document says."""
    path = message.subject.partition("::")[0]
    line = lines_of(path, head_files.get(path, "")).get(message.subject)
    return Location(file=path, line=line) if line is not None else None


def close_round(
    state: RunState,
    following: RunState,
    services: Services,
    verdict: Verdict,
    *,
    comments: tuple[ReviewComment, ...],
) -> RunState:
    """Publish the verdict of an architecture or skeleton round; return `following` with the round
    in its list."""
    cost = cost_of_round(state, services)
    address = review(
        state,
        services,
        verdict,
        title=say(
            f"title_{state.phase.value}_{verdict.word}",
            faults=len(verdict.faults),
        ),
        cost=cost,
        following=next_sentence(following),
        comments=comments,
    )
    closed = with_round(state, verdict, cost, address)
    return following.model_copy(update={"head": state.head, "rounds": closed.rounds})


def with_round(
    state: RunState,
    verdict: Verdict,
    cost: Cost,
    address: str,
    *,
    passed: int | None = None,
    total: int | None = None,
    note: str = "",
) -> RunState:
    phase = Phase.CODE if state.phase is Phase.CHECK else state.phase
    entry = Round(
        phase=phase,
        iteration=state.iteration,
        commit=state.head,
        verdict=verdict.word,
        faults=len(verdict.faults),
        tests_passed=passed,
        tests_total=total,
        usd=cost.usd,
        calls=cost.calls,
        seconds=cost.seconds,
        review=address,
        note=note,
    )
    return state.model_copy(update={"rounds": (*state.rounds, entry)})


def progress(state: RunState, spec: Spec | None, services: Services) -> None:
    """Write the progress comment on the issue, edited in place. Where the issue is locked or gone,
    the pull request says the same."""
    if state.knows("locked") or state.knows("gone"):
        return
    spent = services.record.spent()
    body = page(
        "progress",
        state=state,
        spent=spent,
        duration=duration(elapsed(state, services)),
        next=next_sentence(state),
        todo=todo(state),
        outcome_sign=sign(state.outcome),
        rounds=rounds_table(state.rounds),
        problems=problems_table(spec) if spec else "",
        tried=tried_list(state),
    )
    with suppress(Locked):
        services.forge.comment(
            state.mark("progress"), state.issue, truncate(body, _LIMIT, "The rest is left out.")
        )


def show_pull_request(state: RunState, services: Services) -> None:
    """Bring the pull request's title and description up to date."""
    if not state.pull_request:
        return
    with suppress(Locked):
        services.forge.describe_pull_request(
            state.pull_request,
            title=pull_request_title(state),
            body=describe(state, services),
        )


def pull_request_title(state: RunState) -> str:
    if state.origin == "spec":
        return say("title_pull_request", title=state.title)
    tests = dict.fromkeys(t for m in state.mendings for c in m.causes for t in c.tests)
    return say("title_repair", tests=len(tests), base=state.base_branch)


def describe(state: RunState, services: Services) -> str:
    """The pull request's description."""
    if state.origin == "failure":
        return truncate(repair_page(state), _LIMIT, "The rest is left out.")
    workflow = missing_workflow(state, services)
    body = page(
        "pull_request",
        state=state,
        next=next_sentence(state),
        todo=todo(state),
        outcome_sign=sign(state.outcome),
        rounds=rounds_table(state.rounds),
        trend=trend(state),
        context=context_sentence(state),
        picture=picture(state.project) if _follows_code(state) else "",
        structure=structure_list(state.project),
        workflow=fence(workflow, "yaml") if workflow else "",
    )
    return truncate(body, _LIMIT, "The rest is left out.")


def elapsed(state: RunState, services: Services) -> float:
    return state.worked(services.clock())


def head_files(state: RunState, spec: Spec, services: Services) -> dict[str, str]:
    """Text files of the head commit that a review may comment on."""
    return project_texts(state, spec, services, state.head)
