"""Splits one text that holds several documents, such as an issue, at the headings that say so."""

import re
from dataclasses import dataclass, field

from bot.spec.given import requirement_lines
from bot.spec.kinds import Topic, form_topic, topic_of_title
from bot.spec.markdown import Block, blocks
from bot.spec.model import Document, DocumentKind, GivenFile
from bot.spec.paths import repository_path

_DETAILS = re.compile(r"</?details\b[^<>\n]{0,200}>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>\n]{0,200}>(?P<title>[^\n]{0,300}?)</summary>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")
_EMPTY = re.compile(r"^[\s_*]*+(?:no response|none|n/a|-)?[\s_*.]*+$", re.IGNORECASE)
_REQUIREMENT = re.compile(r"^[A-Za-z0-9][\w.-]*(?:\[[\w, .-]*\])?\s*(?:[<>=!~;@].*)?$")
_TEST_NAME = re.compile(r"[\w./-]*\w\.py\b")
_KINDS = {
    "prd": DocumentKind.PRD,
    "uml": DocumentKind.UML,
    "architecture": DocumentKind.ARCHITECTURE,
}


@dataclass(frozen=True)
class Piece:
    """A part of a text under a heading of its topic; `line` is its first line, from 0."""

    topic: Topic | None
    text: str
    line: int


@dataclass
class Pieces:
    """What a text holds; `rest` is what stands under no heading of a topic."""

    documents: list[Document] = field(default_factory=list)
    requirements: list[str] = field(default_factory=list)
    check_tests: list[GivenFile] = field(default_factory=list)
    rest: list[Document] = field(default_factory=list)
    title: str = ""


@dataclass(frozen=True)
class _Mark:
    """A heading, a summary (level 0) or the end of a details block (topic None, level -1)."""

    line: int
    level: int
    topic: Topic | None


def split_document(document: Document, check_tests_dir: str = "check_tests") -> Pieces | None:
    """The parts of a document, None where no heading announces one."""
    text = without_comments(document.text)
    masked = mask_details(text)
    marks = _marks(text, masked)
    if not any(m.topic for m in marks):
        return None
    out = Pieces()
    for piece in _pieces(masked, marks):
        _sort_in(out, piece, document, check_tests_dir)
    return out


def without_comments(text: str) -> str:
    """The text without HTML comments, every line still where it was."""
    out: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        out += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*out, text[position:]])


def mask_details(text: str) -> str:
    """The text without the tags of details blocks, every line still where it was."""
    lines = [_SUMMARY.sub("", _DETAILS.sub("", line)) for line in text.split("\n")]
    return "\n".join(lines)


def _marks(text: str, masked: str) -> list[_Mark]:
    """The headings that split, by the project's form where it was used, else by their names."""
    headings = [b for b in blocks(masked) if b.kind == "heading"]
    form = [_Mark(b.line, b.level, form_topic(b.text)) for b in headings if b.level == 3]
    if any(m.topic == "prd" for m in form):
        return [m for m in form if m.topic]
    found = [_Mark(b.line, b.level, topic_of_title(_plain(b.text))) for b in headings]
    found += _details_marks(text)
    found.sort(key=lambda m: m.line)
    chosen = _choose(found, frozenset())
    missing = frozenset(_KINDS) - {m.topic for m in chosen if m.topic}
    return _choose(found, missing) if missing else chosen


def _details_marks(text: str) -> list[_Mark]:
    out: list[_Mark] = []
    depth = 0
    fenced = {
        n
        for b in blocks(text)
        if b.kind == "fence"
        for n in range(b.line, b.line + b.text.count("\n") + 3)
    }
    for number, line in enumerate(text.split("\n")):
        if number in fenced:
            continue
        depth += len(re.findall(r"<details\b", line, re.IGNORECASE))
        summary = _SUMMARY.search(line)
        if summary is not None and depth <= 1:
            out.append(_Mark(number, 0, topic_of_title(_plain(summary["title"]))))
        closed = len(re.findall(r"</details\b", line, re.IGNORECASE))
        depth = max(0, depth - closed)
        if closed and depth == 0:
            out.append(_Mark(number, -1, None))
    return out


def _choose(found: list[_Mark], forced: frozenset[str]) -> list[_Mark]:
    """Headings of a topic split where they do not stand below a part's own heading; those of
    `forced` topics always do, the first time."""
    out: list[_Mark] = []
    level: int | None = None
    seen: set[str] = set()
    for mark in found:
        if mark.level == -1:
            if level == 0:
                out.append(mark)
                level = None
            continue
        if mark.topic is None:
            continue
        below = level is not None and mark.level > level
        if not below or (mark.topic in forced and mark.topic not in seen):
            out.append(mark)
            seen.add(mark.topic)
            level = mark.level
    return out


def _pieces(masked: str, marks: list[_Mark]) -> list[Piece]:
    lines = masked.split("\n")
    out = [Piece(None, "\n".join(lines[: marks[0].line]), 0)]
    bounds = [*(m.line for m in marks[1:]), len(lines)]
    for mark, end in zip(marks, bounds, strict=True):
        start = mark.line + 1
        out.append(Piece(mark.topic, "\n".join(lines[start:end]), start))
    return out


def _sort_in(out: Pieces, piece: Piece, document: Document, check_tests_dir: str) -> None:
    if _EMPTY.match(piece.text):
        return
    kind = _KINDS.get(piece.topic or "")
    lead = len(piece.text) - len(piece.text.lstrip("\n"))
    part = document.model_copy(
        update={
            "kind": kind or DocumentKind.OTHER,
            "text": piece.text.strip("\n"),
            "first_line": document.first_line + piece.line + lead,
        }
    )
    match piece.topic:
        case "check_tests":
            out.check_tests.extend(fenced_tests(piece.text, check_tests_dir))
            out.rest.append(part)
        case "requirements":
            out.requirements.extend(_requirements(piece.text))
            out.rest.append(part)
        case "title":
            out.title = piece.text.strip().split("\n", 1)[0]
        case "settings" | None:
            out.rest.append(part)
        case _:
            out.documents.append(part)


def fenced_tests(text: str, folder: str) -> list[GivenFile]:
    """Python fences as test files, named by their info word, the line before, or a comment."""
    found = blocks(text)
    out: list[GivenFile] = []
    for index, block in enumerate(found):
        if block.kind != "fence" or not re.match(r"(?:python|py)?(?:\s|$)", block.info):
            continue
        before = found[index - 1] if index else None
        name = _test_name(block, before) or f"test_check_{len(out) + 1}.py"
        path = name if name.startswith(f"{folder}/") else f"{folder}/{name}"
        safe = repository_path(path)
        if safe is not None:
            out.append(GivenFile(path=safe, text=block.text.rstrip("\n") + "\n"))
    return out


def _test_name(block: Block, before: Block | None) -> str:
    first = block.text.split("\n", 1)[0]
    places = [block.info, first if first.startswith("#") else ""]
    if before is not None and before.kind != "fence":
        places.insert(1, before.text)
    for place in places:
        found = _TEST_NAME.search(place)
        if found is not None:
            return found.group().lstrip("./")
    return ""


def _requirements(text: str) -> list[str]:
    """Requirement lines of a field: a fence, a bare list, or bullets."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("```")]
    kept = [re.sub(r"^\s*[-*+]\s+", "", line).strip("` \t") for line in lines]
    found = requirement_lines("\n".join(kept))
    return [line for line in found if _REQUIREMENT.match(line) and not line.endswith(".txt")]


def _plain(title: str) -> str:
    return _TAG.sub("", re.sub(r"[`*_]", "", title)).strip(" :#")
