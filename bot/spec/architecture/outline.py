"""An architecture document as an outline: headings, paragraphs and nested list items."""

from dataclasses import dataclass, field

from bot.spec.architecture.lead import Lead, read_lead
from bot.spec.markdown import Block, Kind


@dataclass
class Entry:
    """A block with its lead, what is said below it, and the list items nested in it."""

    kind: Kind
    level: int
    text: str
    line: int
    lead: Lead | None
    more: list[str] = field(default_factory=list)
    children: list["Entry"] = field(default_factory=list)

    @property
    def said(self) -> frozenset[str]:
        """The words around the lead's code that say what it is, lower case."""
        return (
            frozenset(f"{self.lead.words} {self.lead.kind}".split()) if self.lead else frozenset()
        )

    @property
    def note(self) -> str:
        """The parenthesis behind the lead's code, lower case."""
        return self.lead.note.lower() if self.lead else ""

    @property
    def column(self) -> int:
        return self.lead.column if self.lead else 1

    @property
    def description(self) -> str:
        """What is said of the lead: the rest of its own block, then the paragraphs below."""
        own = self.lead.text if self.lead is not None else ""
        return " ".join(part for part in (own, *self.more) if part)


def outline(found: tuple[Block, ...]) -> list[Entry]:
    """The blocks in reading order; items under the item that they are nested in."""
    top: list[Entry] = []
    stack: list[Entry] = []
    for block in found:
        if block.kind == "fence":
            continue
        if block.kind == "item":
            while stack and stack[-1].level >= block.level:
                stack.pop()
            entry = _entry(block)
            (stack[-1].children if stack else top).append(entry)
            stack.append(entry)
        elif block.kind == "paragraph" and block.level and stack:
            owner = next((e for e in reversed(stack) if e.level <= block.level), stack[-1])
            owner.more.append(" ".join(block.text.split()))
        else:
            stack.clear()
            top.append(_entry(block))
    return top


def _entry(block: Block) -> Entry:
    return Entry(
        kind=block.kind,
        level=block.level,
        text=block.text,
        line=block.line,
        lead=read_lead(block.text),
    )
