"""The judge asks the model only what no tool can decide: does a derived structure serve each
requirement. A finding counts when what it cites exists (mechanism 27)."""

import builtins
import re
from collections.abc import Iterator

from bot.agents.architect import outline
from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import Finding, ReplyRejected, parse_review
from bot.base import Data
from bot.spec.markdown import blocks
from bot.spec.model import DocumentKind, Section, Spec
from bot.state.model import NodeKind, ProjectState
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.tools.toolbox import Toolbox

SEARCHER = "documentation searcher"
_MOST_SECTIONS = 40
_MARKED = re.compile(r"`([A-Za-z_][\w.]*)(?:\([^`\n]*\))?`")


class OpenSection(Data):
    """A requirement that no tool could match; `near` are the nodes whose words come nearest."""

    id: str
    title: str
    text: str
    near: tuple[str, ...]


class Matched(Data):
    """The requirements that were held against the structure, and those that stay open."""

    sections: tuple[Section, ...]
    open: tuple[OpenSection, ...]


def match_requirements(tools: Toolbox) -> Matched:
    """Match requirements by tools: one is served where each paragraph and item of it names a
    class or function of the structure, and every name in backquotes is in it or Python's own. For
    the others the nodes are ranked."""
    sections = _requirements(tools.spec)
    held = {**dict.fromkeys(dir(builtins), False), **dict(_names(tools.project))}
    return Matched(
        sections=sections,
        open=tuple(
            OpenSection(
                id=s.id, title=s.title, text=s.text, near=tools.nearest(f"{s.title} {s.text}")
            )
            for s in sections
            if not _is_served(s, held)
        ),
    )


def _names(project: ProjectState) -> Iterator[tuple[str, bool]]:
    """Every name of the structure, and whether it is a class or function; those win."""
    for node in project.nodes:
        yield from ((a.name, False) for a in node.attributes)
        yield from ((p.name, False) for p in node.parameters or ())
        yield from ((part, False) for part in node.path.removesuffix(".py").split("/"))
    for node in project.nodes:
        yield node.name, node.kind in (NodeKind.CLASS, NodeKind.FUNCTION)


def _is_served(section: Section, held: dict[str, bool]) -> bool:
    parts = [b.text for b in blocks(section.text) if b.kind in ("paragraph", "item")]
    named = [{n.strip(".").rpartition(".")[2] for n in _MARKED.findall(p)} for p in parts]
    return bool(named) and all(n <= held.keys() and any(held[one] for one in n) for n in named)


def review_requirements(
    desk: Desk, state: ProjectState, matched: Matched, *, step: str
) -> list[Evidence]:
    """Evidence for the open requirements that nothing in the structure serves; raise
    ReplyRejected where no usable reply comes."""
    ids = {n.id for n in state.nodes}
    asked = {s.id for s in matched.open}
    known = {s.id: s for s in matched.sections if s.id in asked}

    def read(text: str) -> tuple[Finding, ...]:
        findings = parse_review(text)
        if not any(f.section in known for f in findings):
            raise ReplyRejected("no entry cites a `section` that was asked about")
        return findings

    question = user_prompt("judge", structure=outline(state), sections=matched.open)
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
