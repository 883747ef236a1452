"""Finds the diagrams of a document and hands each to its reader."""

import re
from typing import NamedTuple

from bot.spec.markdown import Block, blocks, fence_indent, location
from bot.spec.mermaid.classes import ClassReader
from bot.spec.mermaid.flows import FlowReader
from bot.spec.mermaid.sequences import SequenceReader
from bot.spec.mermaid.source import Line, Source
from bot.spec.model import (
    ClassDiagram,
    Document,
    PackageDiagram,
    Problem,
    SequenceDiagram,
)
from bot.spec.problems import problem

_HEADER = re.compile(
    r"^(?P<type>classDiagram(?:-v2)?|sequenceDiagram|graph|flowchart|flowchart-elk)(?=\s|;|$)"
)
_OTHER = re.compile(
    r"^(?P<type>stateDiagram(?:-v2)?|erDiagram|journey|gantt|pie|quadrantChart|requirementDiagram"
    r"|gitGraph|C4\w+|mindmap|timeline|zenuml|sankey(?:-beta)?|xychart(?:-beta)?|block(?:-beta)?"
    r"|packet(?:-beta)?|kanban|architecture(?:-beta)?|packageDiagram|radar(?:-beta)?|treemap)\b"
)


class Diagrams(NamedTuple):
    """What was read, in the order of the documents."""

    classes: tuple[ClassDiagram, ...] = ()
    sequences: tuple[SequenceDiagram, ...] = ()
    packages: tuple[PackageDiagram, ...] = ()
    problems: tuple[Problem, ...] = ()


class DiagramFinder:
    """Reads documents one after the other; a diagram said twice, in a Mermaid fence and a bare
    one, is read once."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.classes: list[ClassDiagram] = []
        self.sequences: list[SequenceDiagram] = []
        self.packages: list[PackageDiagram] = []
        self.problems: list[Problem] = []

    def read(self, document: Document, *, generated: bool = False) -> None:
        """Read all diagrams of a document; `generated` says that a tool drew them from code."""
        found = [b for b in blocks(document.text) if b.kind == "fence"]
        drawn = {_key(b.text) for b in found if _is_mermaid(b)}
        lines = document.text.split("\n")
        for block in [*found, *_without_fence(document, found)]:
            if _is_mermaid(block) or _key(block.text) not in drawn:
                indent = fence_indent(lines, block)
                source = Source(
                    block.text, document.file, document.first_line + block.line + 1, indent
                )
                self._fence(document, block, source, generated)

    def result(self) -> Diagrams:
        return Diagrams(
            tuple(self.classes),
            tuple(self.sequences),
            tuple(self.packages),
            tuple(self.problems),
        )

    def _fence(self, document: Document, block: Block, source: Source, generated: bool) -> None:
        lines = list(source.lines())
        header = _HEADER.match(lines[0].text) if lines else None
        if header is None and not _is_mermaid(block):
            return
        key = _key(block.text)
        if key and key in self.seen:
            return
        self.seen.add(key)
        if not block.closed:
            place = location(document, block.line)
            self.problems.append(problem("fence-unclosed", place))
        if header is None:
            self._broken(document, block, source, lines)
        else:
            self._diagram(header["type"], source, _split_header(lines, header), generated)

    def _diagram(self, kind: str, source: Source, lines: list[Line], generated: bool) -> None:
        if kind.startswith("class"):
            drawing, problems = ClassReader(source).read(lines)
            self.classes.append(drawing.model_copy(update={"generated": generated}))
        elif kind == "sequenceDiagram":
            sequence, problems = SequenceReader(source).read(lines)
            self.sequences.append(sequence)
        else:
            package, problems = FlowReader(source).read(lines)
            self.packages.append(package)
        self.problems.extend(problems)

    def _broken(self, document: Document, block: Block, source: Source, lines: list[Line]) -> None:
        """A Mermaid fence that begins with no kind of diagram that is read."""
        if not lines:
            self.problems.append(problem("mermaid-empty", location(document, block.line)))
            return
        place = source.place(lines[0])
        other = _OTHER.match(lines[0].text)
        if other is not None:
            self.problems.append(problem("mermaid-other-type", place, diagram=other["type"]))
        else:
            self.problems.append(problem("mermaid-no-type", place, text=lines[0].text))


def _key(text: str) -> str:
    """What two writings of the same diagram have in common."""
    return "\n".join(line.strip() for line in text.split("\n") if line.strip())


def _is_mermaid(block: Block) -> bool:
    return block.info.lower().strip("{}. ").split(" ")[0] in ("mermaid", "mmd")


def _split_header(lines: list[Line], header: re.Match[str]) -> list[Line]:
    """The lines with what stands behind the header on its own line: `graph TD; A-->B`."""
    rest = lines[0].text[header.end() :]
    _, mark, tail = rest.partition(";")
    if not mark or not tail.strip():
        return lines
    offset = len(lines[0].text) - len(tail.lstrip())
    behind = [Line(tail.strip(), lines[0].row, lines[0].column + offset)]
    return [lines[0], *behind, *lines[1:]]


def _without_fence(document: Document, fences: list[Block]) -> list[Block]:
    """A document that is one diagram and nothing else, such as a .mmd file."""
    first = next(Source(document.text, document.file, 1).lines(), None)
    if fences or first is None or not _HEADER.match(first.text):
        return []
    return [Block(kind="fence", level=0, text=document.text, line=-1, info="mermaid")]
