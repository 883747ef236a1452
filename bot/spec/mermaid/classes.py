"""Class diagrams, read line by line: one bad line loses itself, never the diagram."""

import builtins
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lark import Token, Tree, UnexpectedInput

from bot.spec.mermaid.grammar import grammar
from bot.spec.mermaid.members import generics, read_member
from bot.spec.mermaid.relations import clean_label, read_arrow
from bot.spec.mermaid.source import Line, Source, plain_label
from bot.spec.model import (
    ClassDiagram,
    Location,
    Member,
    Problem,
    RelationKind,
    UmlClass,
    UmlRelation,
)
from bot.spec.problems import problem

_GLOBALS_NAME = re.compile(r"^_*global_*(?:functions?|methods?|scope|module)?$", re.IGNORECASE)
_GLOBALS_STEREOTYPE = re.compile(r"\b(?:module|globals?|functions?|fake class)\b", re.IGNORECASE)
_GLOBALS_NOTE = re.compile(r"\b(?:global functions?|module[- ]level functions?)\b", re.IGNORECASE)
_NEXT_CLASS = re.compile(r"^(?:class|namespace)\s+[\w`.~-]+[^()]*\{\s*\}?$")
_RELATION = re.compile(
    r"^[\w.]+\s*(?:\"[^\"]*\"\s*)?"
    r"(?:(?:<\||<|\*|o)(?:--|\.\.)(?:\|>|[>*o])?|(?:--|\.\.)(?:\|>|>|\*))"
    r"\s*(?:\"[^\"]*\"\s*)?[\w.]+"
)
_MODULE_SUFFIX = re.compile(r"_?(?:module|\.py|_py)$", re.IGNORECASE)

_Parts = Sequence[Tree[Token] | Token | None]


@dataclass
class _Box:
    """A class while its diagram is read; said again, it is the same box."""

    name: str
    location: Location
    declared: bool = False
    namespace: str | None = None
    stereotypes: dict[str, None] = field(default_factory=dict)
    members: dict[tuple[str, str, str], Member] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    open_ended: bool = False

    def declare(self, location: Location) -> None:
        if not self.declared:
            self.declared, self.location = True, location

    def build(self) -> UmlClass:
        hosts = bool(
            _GLOBALS_NAME.match(self.name)
            or _GLOBALS_STEREOTYPE.search(" ".join(self.stereotypes))
            or _GLOBALS_NOTE.search(" ".join(self.notes))
        )
        is_module = any("module" in s.lower() for s in self.stereotypes)
        module = _MODULE_SUFFIX.sub("", self.name) if is_module else None
        return UmlClass(
            name=self.name,
            stereotypes=tuple(self.stereotypes),
            namespace=self.namespace,
            members=tuple(self.members.values()),
            hosts_globals=hosts,
            module=module or None,
            external=self._external(),
            declared=self.declared,
            notes=tuple(self.notes),
            open_ended=self.open_ended,
            location=self.location,
        )

    def _external(self) -> bool:
        if any(s.lower() in ("external", "third-party", "builtin") for s in self.stereotypes):
            return True
        if hasattr(builtins, self.name):
            return not self.members
        return not self.declared and "." in self.name


class ClassReader:
    """Reads one class diagram."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.boxes: dict[str, _Box] = {}
        self.relations: dict[tuple[str, str, RelationKind, str], UmlRelation] = {}
        self.problems: list[Problem] = []
        self.open: list[tuple[str, str, Location]] = []

    def read(self, lines: list[Line]) -> tuple[ClassDiagram, tuple[Problem, ...]]:
        """`lines` begin with the diagram's header."""
        place = self.source.place(lines[0])
        for line in lines[1:]:
            if self.open and self.open[-1][0] == "class" and not self._slid_out(line):
                self._body(line, self.open[-1][1], line.text, 0)
            else:
                self._statement(line)
        for what, _, opened in self.open:
            self.problems.append(problem("mermaid-unclosed", opened, what=what, mark="}"))
        diagram = ClassDiagram(
            classes=tuple(box.build() for box in self.boxes.values()),
            relations=tuple(self.relations.values()),
            location=place,
        )
        return diagram, tuple(self.problems)

    def _slid_out(self, line: Line) -> bool:
        """Whether a line in a body cannot be a member: a brace before it is missing."""
        if _NEXT_CLASS.match(line.text):
            _, _, opened = self.open.pop()
            self.problems.append(problem("mermaid-unclosed", opened, what="class", mark="}"))
            return True
        return bool(_RELATION.match(line.text))

    def _statement(self, line: Line) -> None:
        try:
            tree = grammar("class_line").parse(line.text)
        except UnexpectedInput as error:
            column = max(0, getattr(error, "column", 1) - 1)
            place = self.source.place(line, min(column, len(line.text)))
            self.problems.append(problem("mermaid-class-line", place, text=line.text))
            return
        statement = tree.children[0]
        if isinstance(statement, Tree):
            self._read_statement(line, statement.data, statement.children)

    def _read_statement(self, line: Line, kind: str, parts: _Parts) -> None:
        """Styles, links and free notes say nothing about the program."""
        match kind:
            case "class_line":
                self._class_line(line, parts)
            case "relation":
                self._relation(line, parts)
            case "member_of":
                self._member_of(line, parts)
            case "annotation":
                self._annotation(line, parts)
            case "namespace":
                self._namespace(line, parts)
            case "note_for":
                self._box(_name(parts[1]), line).notes.append(plain_label(str(parts[2])))
            case "style_of":
                self._box(_name(parts[0]), line)
            case "close":
                self._close(line)

    def _class_line(self, line: Line, parts: _Parts) -> None:
        kind, name, *rest = parts
        said = {part.type: str(part) for part in rest if isinstance(part, Token)}
        box = self._box(_name(name), line)
        box.declare(self.source.place(line))
        word = str(kind).split()[-1]
        if word != "class":
            box.stereotypes.setdefault("enumeration" if word == "enum" else word)
        if "abstract" in str(kind):
            box.stereotypes.setdefault("abstract")
        if "STEREOTYPE" in said:
            box.stereotypes.setdefault(said["STEREOTYPE"].strip("<> "))
        if "LABEL" in said:
            box.notes.append(plain_label(said["LABEL"][1:-1]))
        extended = said.get("EXTENDS", "").partition(" ")[2]
        for parent in re.findall(r"[\w.]+", f"{said.get('BASES', '')} {extended}"):
            self._relate(box.name, parent, RelationKind.INHERIT, "", line)
        if "BODY" in said:
            self.open.append(("class", box.name, self.source.place(line)))
            content = said["BODY"][1:].strip()
            if content:
                self._body(line, box.name, content, len(line.text) - len(content))

    def _namespace(self, line: Line, parts: _Parts) -> None:
        self.open.append(("namespace", _name(parts[0]), self.source.place(line)))
        if str(parts[1]).rstrip().endswith("}"):
            self.open.pop()

    def _close(self, line: Line) -> None:
        if self.open:
            self.open.pop()
        else:
            self.problems.append(problem("mermaid-stray", self.source.place(line), mark="}"))

    def _relation(self, line: Line, parts: _Parts) -> None:
        left, _, arrow, _, right, text = parts
        label = clean_label(str(text or ""))
        a, b = self._box(_name(left), line).name, self._box(_name(right), line).name
        for kind, swap in read_arrow(str(arrow), label):
            self._relate(*((b, a) if swap else (a, b)), kind, label, line)

    def _annotation(self, line: Line, parts: _Parts) -> None:
        box = self._box(_name(parts[1]), line)
        box.declare(self.source.place(line))
        box.stereotypes.setdefault(str(parts[0]).strip("<> "))

    def _member_of(self, line: Line, parts: _Parts) -> None:
        box = self._box(_name(parts[0]), line)
        box.declare(self.source.place(line))
        text = str(parts[1])[1:].strip()
        self._member(line, box, text, line.text.find(text))

    def _body(self, line: Line, name: str, text: str, offset: int) -> None:
        """A line between the braces of a class; it may close them."""
        closes = text.endswith("}") and text.count("}") > text.count("{")
        content = text[:-1].rstrip() if closes else text
        box = self.boxes[name]
        if content.startswith("<<") and content.endswith(">>"):
            box.stereotypes.setdefault(content.strip("<> "))
        elif content:
            self._member(line, box, content, offset)
        if closes:
            self.open.pop()

    def _member(self, line: Line, box: _Box, text: str, offset: int) -> None:
        place = self.source.place(line, offset)
        found = read_member(text, place)
        if found.member is not None:
            member = found.member
            key = (member.kind, member.name, ",".join(p.name for p in member.parameters or ()))
            box.members.setdefault(key, member)
        elif found.kind == "ellipsis":
            box.open_ended = True
        else:
            box.notes.append(text)
            code = "member-prose" if found.kind == "prose" else "member-unread"
            place = self.source.place(line, offset + min(found.column, len(text)))
            self.problems.append(problem(code, place, name=box.name, text=text))

    def _box(self, name: str, line: Line) -> _Box:
        box = self.boxes.get(name)
        if box is None:
            box = self.boxes[name] = _Box(name, self.source.place(line))
        namespace = next((n for what, n, _ in reversed(self.open) if what == "namespace"), None)
        box.namespace = box.namespace or namespace
        return box

    def _relate(self, source: str, target: str, kind: RelationKind, label: str, line: Line) -> None:
        self._box(source, line)
        self._box(target, line)
        relation = UmlRelation(
            source=source, target=target, kind=kind, label=label, location=self.source.place(line)
        )
        self.relations.setdefault((source, target, kind, label), relation)


def _name(part: Tree[Token] | Token | None) -> str:
    """The name of a class without backticks; its generic parameters are left out."""
    token = part.children[0] if isinstance(part, Tree) else part
    return generics(str(token)).strip("`")
