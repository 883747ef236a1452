"""What a file's author needs to see: the shared material, and what the documents say of one file
(E, Algorithm 1, line 16)."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.base import Data
from bot.spec.model import Document, DocumentKind, Spec
from bot.state.model import ProjectState

CHARACTERS_PER_TOKEN = 4
# What is shorter and of no known kind points somewhere ("see the wiki") and is no document.
_FEWEST_WORDS = 15


class Block(Data):
    """A named text of the material; `file` and `first_line` say which document it is."""

    name: str
    text: str
    file: str
    first_line: int


def material(spec: Spec, tokens: int, *, parsed: bool = False) -> tuple[Block, ...]:
    """Documents in the order of their worth, as many whole ones as fit: PRD, architecture, UML.
    Where the structure is `parsed` and shown beside them, the UML says nothing more.
    The same for every file of a run, so that providers' prompt caches hit. The PRD always
    comes, cut where it alone is too long."""
    budget = tokens * CHARACTERS_PER_TOKEN
    out: list[Block] = []
    structured = parsed and any(d.kind is DocumentKind.ARCHITECTURE for d in spec.documents)
    wanted = [d for d in spec.documents if not (structured and d.kind is DocumentKind.UML)]
    ranked = sorted(wanted, key=lambda d: (_RANK[d.kind], d.file, d.first_line))
    for document in ranked:
        text = document.text.strip()
        if document.kind is DocumentKind.PRD and not out:
            text = text[:budget]
        pointer = document.kind is DocumentKind.OTHER and len(text.split()) < _FEWEST_WORDS
        if text and len(text) <= budget and not pointer:
            out.append(
                Block(
                    name=f"{_NAMES[document.kind]}, {document.file}",
                    text=text,
                    file=document.file,
                    first_line=document.first_line,
                )
            )
            budget -= len(text)
    return tuple(out)


_NAMES = {
    DocumentKind.PRD: "product requirements",
    DocumentKind.ARCHITECTURE: "architecture design",
    DocumentKind.UML: "UML diagrams",
    DocumentKind.OTHER: "further document",
}
_RANK = {
    DocumentKind.PRD: 0,
    DocumentKind.ARCHITECTURE: 1,
    DocumentKind.UML: 2,
    DocumentKind.OTHER: 3,
}


def focus(spec: Spec, state: ProjectState, path: str, shown: tuple[Block, ...]) -> str:
    """What documents that are not among the shown ones say about one file: the lines from where
    it is asked for to where the next file is."""
    seen = {(b.file, b.first_line) for b in shown}
    node = state.node(path)
    if node is None:
        return ""
    parts: list[str] = []
    for place in node.asked:
        document = _document(spec, place.file, place.line)
        if document is not None and (document.file, document.first_line) not in seen:
            parts.append(_excerpt(document, place.line, _next_start(state, place.file, place.line)))
    return "\n\n".join(dict.fromkeys(parts))


def _document(spec: Spec, file: str, line: int) -> Document | None:
    return next(
        (
            d
            for d in spec.documents
            if d.file == file and d.first_line <= line < d.first_line + d.text.count("\n") + 1
        ),
        None,
    )


def _next_start(state: ProjectState, file: str, line: int) -> int | None:
    later = [p.line for n in state.files() for p in n.asked if p.file == file and p.line > line]
    return min(later, default=None)


def _excerpt(document: Document, start: int, end: int | None) -> str:
    lines = document.text.splitlines()
    first = start - document.first_line
    last = end - document.first_line if end is not None else len(lines)
    return "\n".join(lines[first:last]).strip()


def source_blocks(files: Mapping[str, str], tokens: int, own: str | None = None) -> str:
    """The skeleton as one text, the same for every file; where it is too large, only the folder
    of `own` and the packages' signatures that fit."""
    budget = tokens * CHARACTERS_PER_TOKEN
    ordered = sorted(p for p in files if p.endswith(".py"))
    if sum(len(files[p]) for p in ordered) > budget and own is not None:
        near = PurePosixPath(own).parent
        ordered.sort(key=lambda p: (p != own, PurePosixPath(p).parent != near, p))
    out: list[str] = []
    for path in ordered:
        if len(files[path]) <= budget:
            out.append(f'<file path="{path}">\n{files[path].rstrip()}\n</file>')
            budget -= len(files[path])
    return "\n".join(out)
