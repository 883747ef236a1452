"""The context of one file (E, Algorithm 1, line 16): what it is asked for, what it uses and who
uses it, as signatures, ranked and cut to a number of tokens."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import PurePosixPath

from bot.base import Data
from bot.spec.model import Spec
from bot.state.context import CHARACTERS_PER_TOKEN, focus
from bot.state.interfaces import Interfaces, Line, shortened
from bot.state.model import NodeKind, ProjectState, Relation
from bot.state.relations import weighted

# In the map a file's purpose takes at most so many characters.
_MAP_WORDS = 90
# Shares of the tokens: the map of the project, interfaces that many files use, requirements, and
# the file's own signatures. Names that nothing yet points to are shown in what is left.
_MAP = 0.12
_SHARED = 0.2
_ASKED = 0.2
_OWN = 0.25
# From this worth on a reader is told what a definition is for, and sees a small one whole.
_TOLD = 0.5
_WHOLE = 0.9
# No line that tells anything has fewer characters.
_SMALLEST = 8
# What is ranked lower is left out even where there is room.
_LEAST = 0.05


class Piece(Data):
    """One part of a context; `nodes` are the ids whose signature or definition it shows."""

    kind: str
    text: str
    nodes: tuple[str, ...] = ()


class Context(Data):
    """What the author of `path` is shown. `prefix` is the same for every file of a state, so that
    providers' prompt caches hit; `left_out` are ids that were ranked and found no room. Tokens are
    estimated, `project_tokens` those of the whole source."""

    path: str
    prefix: tuple[Piece, ...]
    pieces: tuple[Piece, ...]
    tokens: int
    project_tokens: int
    left_out: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """How much of the project the context took."""
        return self.tokens / self.project_tokens if self.project_tokens else 0.0

    @property
    def shown(self) -> frozenset[str]:
        return frozenset(n for piece in (*self.prefix, *self.pieces) for n in piece.nodes)

    @property
    def text(self) -> str:
        return "\n\n".join(p.text for p in (*self.prefix, *self.pieces))


class Brief(Data):
    """What the author of several files is shown beside their own source: the stable prefix and
    what other files hold that theirs use. `tokens` counts all of it, their own source included."""

    paths: tuple[str, ...]
    prefix: str
    neighbours: str
    tokens: int


def tokens_of(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class Retriever:
    """Contexts of the files of one state. `files` are the sources as they stand (path -> text),
    `iteration` counts code iterations from 1, `tokens` is what one context may take."""

    spec: Spec | None
    state: ProjectState
    files: Mapping[str, str]
    iteration: int
    tokens: int

    def contexts(self, paths: Iterable[str]) -> Iterator[Context]:
        """One context for each path, all with the same prefix."""
        for path in paths:
            yield self._context(path)

    def brief(self, paths: Sequence[str]) -> Brief:
        """What the author of several files is shown beside their own source."""
        shown = _Shown(())
        for path in paths:
            shown = shown.joined(self._neighbours(path, _size(self._common[0]))[1])
        foreign = _Shown(tuple(line for line in shown.lines if line.path not in paths))
        prefix = "\n\n".join(p.text for p in self._common[0])
        return Brief(
            paths=tuple(paths),
            prefix=prefix,
            neighbours=foreign.text,
            tokens=tokens_of(prefix)
            + tokens_of(foreign.text)
            + sum(tokens_of(self.files.get(p, "")) for p in paths),
        )

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        return weighted(self.state, self.iteration)

    @cached_property
    def _interfaces(self) -> Interfaces:
        return Interfaces(self.state.nodes, self.files)

    @cached_property
    def _touching(self) -> Mapping[str, list[Relation]]:
        found: dict[str, list[Relation]] = {}
        for relation in self._relations:
            for path in relation.files:
                found.setdefault(path, []).append(relation)
        return found

    @cached_property
    def _whole(self) -> int:
        return sum(tokens_of(text) for text in self.files.values())

    @cached_property
    def _common(self) -> tuple[tuple[Piece, ...], frozenset[str]]:
        """The map of the project and what at least a third of its files use."""
        users: dict[str, set[str]] = {}
        for r in self._relations:
            if "::" in r.target and r.weight >= 0.5:
                users.setdefault(r.target, set()).add(r.files[0])
        many = max(3, len(self.state.python_files()) / 3)
        often = sorted(
            (t for t, u in users.items() if len(u) >= many), key=lambda t: (-len(users[t]), t)
        )
        ranked = {t: float(len(users[t])) for t in often}
        shown = _fill(self._interfaces, ranked, int(self.tokens * _SHARED))
        pieces = [Piece(kind="map", text=self._map())]
        if shown.lines:
            text = f"Used by many files:\n{shown.text}"
            pieces.append(Piece(kind="shared", text=text, nodes=shown.ids))
        return tuple(p for p in pieces if p.text), frozenset(shown.ids)

    def _map(self) -> str:
        """Every file with what it is for; without the words where they are too many, nothing
        where even the names are."""
        files = self.state.python_files()
        long = "\n".join(
            f"{n.path}: {shortened(n.purpose, _MAP_WORDS)}".rstrip(": ") for n in files
        )
        short = ", ".join(n.path for n in files)
        room = int(self.tokens * _MAP)
        return next((f"Files:\n{t}" for t in (long, short) if tokens_of(t) <= room), "")

    def _context(self, path: str) -> Context:
        prefix = self._common[0]
        own = _fill(
            self._interfaces,
            {n.id: 1.0 for n in self.state.inside(path)},
            int(self.tokens * _OWN),
        )
        pieces = [
            Piece(kind="asked", text=self._asked(path)),
            Piece(kind="own", text=own.text, nodes=own.ids),
        ]
        near, shown = self._neighbours(path, _size((*prefix, *pieces)))
        pieces.append(Piece(kind="neighbours", text=shown.text, nodes=shown.ids))
        kept = tuple(p for p in pieces if p.text)
        return Context(
            path=path,
            prefix=prefix,
            pieces=kept,
            tokens=_size((*prefix, *kept)),
            project_tokens=self._whole,
            left_out=tuple(k for k in near if k not in shown.ids),
        )

    def _neighbours(self, path: str, taken: int) -> tuple[tuple[str, ...], "_Shown"]:
        """(ids that relations point to, what is shown of other files) where so many tokens are
        taken already."""
        relations = self._touching.get(path, [])
        known = self._common[1]
        ranked = rank(path, self._interfaces, relations)
        near = {k: v for k, v in ranked.items() if k not in known}
        shown = _fill(self._interfaces, near, self.tokens - taken)
        coded = any(r.origin == "realized" for r in relations if r.files[0] == path)
        if self.iteration == 1 or not coded:
            spare = self.tokens - taken - tokens_of(shown.text)
            seen = {*known, *near}
            further = {k: v for k, v in self._further(path).items() if k not in seen}
            shown = shown.joined(_fill(self._interfaces, further, spare))
        return tuple(near), shown

    def _further(self, path: str) -> dict[str, float]:
        """Public names at the top of other files, one of each file in turn, those of the nearest
        folders first: for a file of which no code says yet what it uses."""
        here = PurePosixPath(path).parent
        others = sorted(
            (n.path for n in self.state.python_files() if n.path != path),
            key=lambda p: (not PurePosixPath(p).is_relative_to(here), p.count("/"), p),
        )
        tops = self._interfaces.tops
        public = [[n.id for n in tops(p) if _public(n.name)] for p in others]
        in_turn = (node_id for row in zip_longest(*public) for node_id in row if node_id)
        return dict.fromkeys(in_turn, 0.0)

    def _asked(self, path: str) -> str:
        """What the documents say of the file, and its own purpose where they are silent."""
        node = self.state.node(path)
        said = focus(self.spec, self.state, path) if self.spec is not None else ""
        text = said or (node.purpose if node is not None else "")
        return text[: int(self.tokens * _ASKED) * CHARACTERS_PER_TOKEN].strip()


def rank(path: str, interfaces: Interfaces, relations: Iterable[Relation]) -> dict[str, float]:
    """Node id -> worth for the author of `path`, the best first: what the file uses, what belongs
    to that, and then who uses the file."""
    worth: dict[str, float] = {}

    def add(node_id: str, value: float) -> None:
        if not node_id.startswith(f"{path}::") and value >= _LEAST:
            worth[node_id] = max(worth.get(node_id, 0.0), value)

    for r in relations:
        if r.files[0] == path:
            for node_id, value in _spread(r.target, interfaces):
                add(node_id, value * r.weight)
        elif r.files[1] == path and "::" in r.source:
            add(r.source, 0.15 * r.weight)
    return dict(sorted(worth.items(), key=lambda item: (-item[1], item[0])))


# How much of a relation's weight goes on from its target to what belongs to it.
_MEMBER = 0.5
_BASE = 0.7
_TOP_OF_FILE = 0.4
_PRIVATE = 0.3


def _spread(target: str, interfaces: Interfaces) -> Iterator[tuple[str, float]]:
    """The target and what comes with it: members of a class, its bases and theirs, and the public
    names of a file that is used as a whole."""
    node = interfaces.node(target)
    if node is None:
        return
    if node.kind is NodeKind.FILE:
        for top in interfaces.tops(node.id):
            share = _TOP_OF_FILE * (_PRIVATE if top.name.startswith("_") else 1)
            yield from ((i, v * share) for i, v in _spread(top.id, interfaces))
        return
    yield target, 1.0
    if node.kind is NodeKind.CLASS:
        for cls, depth in interfaces.ancestry(node):
            if cls.id != target:
                yield cls.id, _BASE**depth
            for member in interfaces.members(cls.id):
                hidden = member.name.startswith("_") and not member.name.endswith("__")
                share = _MEMBER * (_PRIVATE if hidden else 1)
                yield member.id, share * _BASE**depth
    owner = interfaces.node(node.parent or "")
    if owner is not None and owner.kind is NodeKind.CLASS:
        yield owner.id, 1.0


def _public(name: str) -> bool:
    return not name.startswith("_") or name.startswith("__")


def _size(pieces: Iterable[Piece]) -> int:
    return sum(tokens_of(p.text) for p in pieces)


@dataclass(frozen=True)
class _Shown:
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return _written(self.lines)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(line.id for line in self.lines)

    def joined(self, other: "_Shown") -> "_Shown":
        return _Shown(tuple({line.id: line for line in (*other.lines, *self.lines)}.values()))


def _fill(interfaces: Interfaces, ranked: Mapping[str, float], tokens: int) -> _Shown:
    """As many of the ranked nodes as fit, best first, each with the class that holds it; written
    file by file in the order of the source."""
    room = tokens * CHARACTERS_PER_TOKEN
    taken: dict[str, Line] = {}
    files: set[str] = set()
    for node_id, worth in ranked.items():
        if room < _SMALLEST:
            break
        lines = [
            line
            for line in interfaces.lines(node_id, full=worth >= _WHOLE, told=worth >= _TOLD)
            if line.id not in taken
        ]
        head = 0 if not lines or lines[0].path in files else len(lines[0].path) + 4
        size = head + sum(len(line.text) + 1 for line in lines)
        if lines and size <= room:
            room -= size
            taken.update({line.id: line for line in lines})
            files.add(lines[0].path)
    return _Shown(lines=tuple(taken.values()))


def _written(lines: Iterable[Line]) -> str:
    by_path: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: (line.path, line.place, line.id)):
        by_path.setdefault(line.path, []).append(line)
    return "\n".join(
        f"# {path}\n" + "\n".join(line.text for line in mine) for path, mine in by_path.items()
    )
