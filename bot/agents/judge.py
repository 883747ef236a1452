"""The judge asks the model only what no tool can decide: does a derived structure serve each
requirement. A finding counts when what it cites exists (mechanism 27)."""

from bot.agents.architect import outline
from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import Finding, ReplyRejected, parse_review
from bot.spec.model import DocumentKind, Section, Spec
from bot.state.model import ProjectState
from bot.verify.evidence import Evidence, Rule, Tool

_MOST_SECTIONS = 40


def review_requirements(
    desk: Desk, spec: Spec, state: ProjectState, *, step: str
) -> list[Evidence]:
    """Evidence for the requirements that nothing in the structure serves; raise ReplyRejected
    where no usable reply comes."""
    sections = _requirements(spec)
    if not sections:
        return []
    ids = {n.id for n in state.nodes}
    known = {s.id: s for s in sections}

    def read(text: str) -> tuple[Finding, ...]:
        findings = parse_review(text)
        if not any(f.section in known for f in findings):
            raise ReplyRejected("no entry cites a `section` that was asked about")
        return findings

    question = user_prompt("judge", structure=outline(state), sections=sections)
    findings = ask(desk, "judge", step, question, read)
    return [
        Evidence(
            tool=Tool.MODEL,
            rule=Rule.NOT_SERVED,
            subject=f.section,
            verdict="fault",
            detail=f"nothing serves `{known[f.section].title}`: {f.missing}",
            location=known[f.section].location,
        )
        for f in findings
        if f.section in known and f.missing and not (set(f.served_by) & ids)
    ]


def _requirements(spec: Spec) -> tuple[Section, ...]:
    """The PRD's sections that hold text of their own."""
    found = [s for s in spec.sections if s.kind is DocumentKind.PRD and len(s.text.split()) > 5]
    return tuple(found[:_MOST_SECTIONS])
