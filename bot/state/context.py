"""What a file's author needs to see: the shared material, and what the documents say of one file
(E, Algorithm 1, line 16)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from bot.base import Data
from bot.spec.given import is_data
from bot.spec.model import Document, DocumentKind, Spec
from bot.state.model import ProjectState
from bot.state.participants import Cast

CHARACTERS_PER_TOKEN = 4
# What is shorter and of no known kind points somewhere ("see the wiki") and is no document.
_FEWEST_WORDS = 15


class Block(Data):
    """A named text of the material; `file` and `first_line` say which document it is."""

    name: str
    text: str
    file: str
    first_line: int


def material(
    spec: Spec, tokens: int, *, parsed: bool = False, state: ProjectState | None = None
) -> tuple[Block, ...]:
    """Documents in the order of their worth, as many whole ones as fit: PRD, architecture, UML.
    Where the structure is `parsed` and shown beside them, the UML says nothing more; and with its
    `state` given, the architecture is shown without what it says of single files, which their
    authors see as `focus`. The same for every file of a run, so that providers' prompt caches
    hit. The PRD always comes, cut where it alone is too long."""
    budget = tokens * CHARACTERS_PER_TOKEN
    out: list[Block] = []
    structured = parsed and any(d.kind is DocumentKind.ARCHITECTURE for d in spec.documents)
    wanted = [d for d in spec.documents if not (structured and d.kind is DocumentKind.UML)]
    ranked = sorted(wanted, key=lambda d: (_RANK[d.kind], d.file, d.first_line))
    for document in ranked:
        text = document.text.strip()
        if state is not None and document.kind is DocumentKind.ARCHITECTURE:
            text = _general(document, state)
            text = text if len(text.split()) >= _FEWEST_WORDS else ""
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


_MOST_DATA = 40
_MOST_SAMPLES = 3
_SAMPLE = 300


def data_files(spec: Spec) -> str:
    """The data files that the author gives or that the repository holds already, with the beginning
    of the first text of each kind; "" where there are none."""
    texts = {f.path: f.beginning for f in spec.present}
    for given in spec.resources:
        if is_data(given.path):
            texts[given.path] = given.text if given.encoding == "utf-8" else ""
    if not texts:
        return ""
    names = ", ".join(f"`{path}`" for path in sorted(texts)[:_MOST_DATA])
    more = f" and {len(texts) - _MOST_DATA} more" if len(texts) > _MOST_DATA else ""
    kinds: dict[tuple[str, str], str] = {}
    for path, text in sorted(texts.items()):
        if text.strip():
            pure = PurePosixPath(path)
            kinds.setdefault((str(pure.parent), pure.suffix), path)
    samples = [
        f"`{path}` begins:\n{_indented(texts[path][:_SAMPLE])}"
        for path in list(kinds.values())[:_MOST_SAMPLES]
    ]
    return "\n\n".join([names + more, *samples])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())


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


def focus(spec: Spec, state: ProjectState, path: str) -> str:
    """What the documents say about one file: the lines that ask for it, and the messages of the
    sequence diagrams that its code sends or answers."""
    node = state.node(path)
    if node is None:
        return ""
    parts: list[str] = []
    for place in node.asked:
        document = _document(spec, place.file, place.line)
        if document is not None:
            parts.append(_excerpt(document, _span(document, place.line, state)))
    return "\n\n".join(dict.fromkeys(filter(None, [*parts, _flows(spec, state, path)])))


_SIGNATURE = re.compile(r"\s*[-*+]\s+`(?P<name>\w+)[^`]*`(?P<said>.*)")


def not_in_source(text: str, source: str) -> str:
    """A text of the documents without the list items whose name and words a source says, too. An
    item stays where one below it does, so that nothing loses what it belongs to."""
    known = _plain(source)
    names = set(re.findall(r"\w+", source))
    kept: list[str] = []
    needed = 0
    for line in reversed(text.splitlines()):
        item = _SIGNATURE.fullmatch(line)
        depth = len(line) - len(line.lstrip())
        said = item is not None and item["name"] in names and _plain(item["said"]) in known
        if said and depth >= needed:
            continue
        if line.strip():
            needed = depth
            kept.append(line)
        elif kept and kept[-1]:
            kept.append("")
    kept.reverse()
    bare = all(_level(line) or line.rstrip().endswith(":") or not line.strip() for line in kept)
    return "" if bare else "\n".join(kept).strip("\n")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _excerpt(document: Document, span: range) -> str:
    """Lines of a document; of a directory tree only the one that comments on the file."""
    lines = document.text.splitlines()
    if _fenced(lines, span.start):
        return lines[span.start].strip() if "#" in lines[span.start] else ""
    return "\n".join(lines[span.start : span.stop]).strip()


def _document(spec: Spec, file: str, line: int) -> Document | None:
    return next(
        (
            d
            for d in spec.documents
            if d.file == file and d.first_line <= line < d.first_line + d.text.count("\n") + 1
        ),
        None,
    )


def _span(document: Document, line: int, state: ProjectState) -> range:
    """Which lines of a document, from 0, speak of the file that is asked for on one: up to where
    the next file is, or to the end of the section, list or code block that the line stands in."""
    lines = document.text.splitlines()
    first = line - document.first_line
    starts = _starts(document, state)
    following = next((s for s in starts if s > first), len(lines))
    behind = range(first + 1, len(lines))
    level = _level(lines[first])
    if _fenced(lines, first):
        ends = (i for i in behind if lines[i].lstrip().startswith(_FENCE))
    elif level:
        ends = (i for i in behind if 0 < _level(lines[i]) <= level)
    else:
        ends = (i for i in behind if _level(lines[i]) or _begins_anew(lines, i))
    return range(first, min(following, next(ends, len(lines))))


_FENCE = ("```", "~~~")
_BRANCH = re.compile(r"[├└]|\|--|`--")
_ITEM = re.compile(r"\s|[-*+]\s|\d+[.)]\s")


def _fenced(lines: Sequence[str], number: int) -> bool:
    """Whether a line stands in a code block."""
    return sum(text.lstrip().startswith(_FENCE) for text in lines[:number]) % 2 == 1


def _begins_anew(lines: Sequence[str], number: int) -> bool:
    """Whether a paragraph begins that belongs to no list."""
    return bool(lines[number]) and not lines[number - 1] and not _ITEM.match(lines[number])


def _level(line: str) -> int:
    """The level of a heading, 0 for other lines."""
    marks = len(line) - len(line.lstrip("#"))
    return marks if marks <= 6 and line[marks : marks + 1] in (" ", "\t") else 0


def _starts(document: Document, state: ProjectState) -> list[int]:
    """The lines of a document, from 0, that ask for files."""
    return sorted(
        {
            place.line - document.first_line
            for node in state.files()
            for place in node.asked
            if place.file == document.file
            and 0 <= place.line - document.first_line <= document.text.count("\n")
        }
    )


def _general(document: Document, state: ProjectState) -> str:
    """What a document says of no single file: directory trees without comments are left out, for
    the map of the project says the same, and so are headings with nothing left below them."""
    lines = document.text.splitlines()
    claimed = {
        i
        for start in _starts(document, state)
        for i in _span(document, start + document.first_line, state)
    }
    kept: list[str] = []
    fence: list[str] | None = None
    drawn = 0
    for number, line in enumerate(lines):
        if line.lstrip().startswith(_FENCE):
            if fence is None:
                fence, drawn = [line], 0
                continue
            if not drawn or any("#" in inner for inner in fence):
                kept.extend([*fence, line])
            fence = None
        elif fence is not None:
            drawn += number in claimed or bool(_BRANCH.search(line))
            fence.append(line)
        elif number not in claimed:
            kept.append(line)
    kept.extend(fence or [])
    return _without_hollow_headings(kept)


def _without_hollow_headings(lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        while kept and _level(line) and 0 < _level(line) <= _level(kept[-1]):
            kept.pop()
        if line.strip():
            kept.append(line)
        elif kept and not _level(kept[-1]) and kept[-1]:
            kept.append("")
    while kept and (_level(kept[-1]) or not kept[-1]):
        kept.pop()
    return "\n".join(kept).strip()


_MOST_MESSAGES = 30


def _flows(spec: Spec, state: ProjectState, path: str) -> str:
    """The messages that code of a file sends or answers, in the order of the diagrams."""
    cast = Cast(state.nodes)
    said: list[str] = []
    for diagram in spec.sequence_diagrams:
        nodes = {p.name: cast.find(p.title, p.name) or "" for p in diagram.participants}
        for message in diagram.messages:
            ends = (nodes.get(message.source, ""), nodes.get(message.target, ""))
            if any(end.partition("::")[0] == path for end in ends) and message.text:
                arrow = "-->>" if message.reply else "->>"
                said.append(f"{message.source} {arrow} {message.target}: {message.text}")
    if not said:
        return ""
    return "\n".join(["In the sequence diagrams:", *dict.fromkeys(said)][: _MOST_MESSAGES + 1])


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
