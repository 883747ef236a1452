"""A missing or misused name has two ends: where it should be defined and where it is written. These
rules weigh which end is wrong, by what the rest of the project and its tests say."""

import ast
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.checks.agenda.code import Code, last_name
from bot.checks.agenda.texts import tell
from bot.state.model import Node, NodeKind, ProjectState, file_id, module_name
from bot.state.signatures import accepts

_SIMILAR = 0.7
SURE = 1.3
LIKELY = 1.0
_OTHER_END = 0.45
_DEFINER = 0.4


@dataclass(frozen=True)
class Clue:
    """One reason to look at a file: `weight` is about 1 where it alone would convince; `by_use`
    says that it only rests on which tests use what."""

    path: str
    node: str
    weight: float
    said: str
    by_use: bool = False


@dataclass(frozen=True)
class Place:
    """Where a name is written: file, line and the definition around it."""

    path: str
    line: int
    node: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Names:
    """What the whole project says of a name."""

    def __init__(self, code: Code, project: ProjectState) -> None:
        self._code = code
        self._project = project

    @cached_property
    def _written(self) -> Mapping[str, Counter[str]]:
        """How often each file writes a name as an attribute, an import, or a text of its own (as
        `patch("a.b")` does); definitions are not counted."""
        found: dict[str, Counter[str]] = {}
        for path, facts in self._code.facts.items():
            for node in ast.walk(facts.tree):
                for name in _names_in(node):
                    found.setdefault(name, Counter())[path] += 1
        return found

    def written(self, name: str) -> int:
        return self._written.get(name, Counter()).total()

    def imported(self, module: str, name: str, at: Place) -> Iterator[Clue]:
        """`from module import name` failed at a place; `name` is "" where the module is missing."""
        home = self._code.modules.get(module, "")
        if not home and not self._is_ours(module):
            yield Clue(at.path, at.node, SURE, tell("not_installed", at=at, module=module))
        elif not home:
            yield from self._missing_module(module, at)
        elif (
            not name
            or self._code.lookup.imports(home).names.get(name)
            or file_id(home, name) in self._nodes_of(home)
        ):
            yield from self._circle(home, at)
        else:
            yield from self._missing_name(home, name, at)

    def _is_ours(self, module: str) -> bool:
        roots = {module_name(p).split(".")[0] for p in self._code.paths}
        return module.split(".")[0] in roots

    def _nodes_of(self, path: str) -> Mapping[str, Node]:
        return self._code.facts[path].nodes if path in self._code.facts else {}

    def _circle(self, home: str, at: Place) -> Iterator[Clue]:
        said = tell("circle", at=at, home=home)
        yield Clue(at.path, at.node, LIKELY, said)
        yield Clue(home, home, LIKELY * 0.9, said)

    def _missing_module(self, module: str, at: Place) -> Iterator[Clue]:
        known = [module_name(p) for p in self._code.paths if p.endswith(".py")]
        close = difflib.get_close_matches(module, known, n=1, cutoff=_SIMILAR)
        wanted = f"{module.replace('.', '/')}.py"
        asked = self._project.node(wanted) is not None
        alone = not self._code.is_test(at.path) and self.written(module.rpartition(".")[2]) <= 1
        if close and alone and not asked:
            said = tell("other_module", at=at, module=module, close=close[0])
            yield Clue(at.path, at.node, SURE, said)
        else:
            yield Clue(wanted, wanted, SURE, tell("no_module", module=module, at=at))
            yield from self._user(at, _OTHER_END, tell("imports", at=at, name=module))

    def _missing_name(self, home: str, name: str, at: Place) -> Iterator[Clue]:
        own = [n.partition("::")[2] for n in self._nodes_of(home)]
        own += self._code.lookup.imports(home).names
        close = difflib.get_close_matches(name, own, n=1, cutoff=_SIMILAR)
        odd = bool(close) and self.written(name) <= 1 and not self._code.is_test(at.path)
        hint = tell("has", close=close[0]) if close else ""
        if odd:
            said = tell("other_name", at=at, name=name, home=home, close=close[0])
            yield Clue(at.path, at.node, SURE, said)
            yield Clue(
                home, home, _OTHER_END, tell("no_name", home=home, name=name, at=at, hint="")
            )
            return
        yield Clue(home, home, SURE, tell("no_name", home=home, name=name, at=at, hint=hint))
        yield from self._user(at, _OTHER_END, tell("imports", at=at, name=name))
        for node in self._definers(name, home):
            yield Clue(node.path, node.id, _DEFINER, tell("stands", name=name, path=node.path))

    def _definers(self, name: str, but: str) -> Iterable[Node]:
        """Where a name is defined at the top, or planned to be."""
        planned = [n for n in self._project.nodes if n.name == name and n.asked]
        there = [n for n in self._code.named.get(name, ()) if n.parent == n.path]
        found = {n.path: n for n in (*planned, *there) if n.qualname and n.path != but}
        return found.values()

    def _user(self, at: Place, weight: float, said: str) -> Iterator[Clue]:
        if not self._code.is_test(at.path):
            yield Clue(at.path, at.node, weight, said)

    def attribute(self, owner: str, name: str, at: Place) -> Iterator[Clue]:
        """`thing.name` failed at a place; `owner` is the class or module of the thing."""
        homes = self._homes_of(owner)
        if not homes:
            yield from self._user(at, LIKELY, tell("reads_of", at=at, name=name, owner=owner))
            return
        members = [m for home in homes for m in self._members(home)]
        close = difflib.get_close_matches(name, members, n=1, cutoff=_SIMILAR)
        hint = tell("has", close=close[0]) if close else ""
        lacks = tell("lacks", owner=owner, name=name, at=at, hint=hint)
        odd = not self._code.is_test(at.path) and self.written(name) <= 1
        home_weight = _OTHER_END if odd else (LIKELY if close else SURE)
        for rank, home in enumerate(homes[:2]):
            yield Clue(home.path, home.id, home_weight / (1 + rank), lacks)
        said = tell("reads", at=at, name=name, hint=hint)
        yield from self._user(at, SURE if odd else LIKELY * 0.8, said)

    def _homes_of(self, owner: str) -> list[Node]:
        """The classes of a name, or the file of a module."""
        path = self._code.modules.get(owner, "")
        if path in self._code.facts and not self._code.is_test(path):
            return [self._code.facts[path].nodes[path]]
        last = owner.rpartition(".")[2]
        return [n for n in self._code.named.get(last, ()) if n.kind is NodeKind.CLASS]

    def _members(self, home: Node) -> Iterator[str]:
        if home.kind is NodeKind.FILE:
            yield from (n.name for n in self._nodes_of(home.path).values() if n.parent == home.id)
            return
        for cls in self._code.lookup.ancestry(home.id):
            yield from (a.name for a in cls.attributes)
            yield from (n.name for n in self._nodes_of(cls.path).values() if n.parent == cls.id)

    def call(self, symbol: str, at: Place) -> Iterator[Clue]:
        """A call of `symbol` did not fit its parameters."""
        last = symbol.rpartition(".")[2]
        called = [
            n
            for n in self._code.named.get(last, ())
            if n.kind is NodeKind.FUNCTION and f".{n.qualname}".endswith(f".{symbol}")
        ]
        if not called:
            yield from self._user(at, LIKELY, tell("calls_wrongly", at=at, name=symbol))
            return
        unfit, fit = self._judged(called[0], at)
        wrong = self._code.is_test(at.path) or unfit > fit
        said = tell("calls_unfit", at=at, name=called[0].qualname)
        for rank, node in enumerate(called[:2]):
            yield Clue(node.path, node.id, (SURE if wrong else _OTHER_END) / (1 + rank), said)
        yield from self._user(at, _OTHER_END if wrong else SURE, said)

    def _judged(self, called: Node, at: Place) -> tuple[int, int]:
        """(calls that do not fit, calls that do) elsewhere in the project and its tests."""
        unfit = fit = 0
        names = {called.name}
        if called.name == "__init__" and called.parent:
            names = {called.parent.rpartition("::")[2].rpartition(".")[2]}
        for path, facts in self._code.facts.items():
            for node in ast.walk(facts.tree):
                if isinstance(node, ast.Call) and last_name(node.func) in names:
                    here = path == at.path and node.lineno <= at.line <= (node.end_lineno or 0)
                    if not here and not _spreads(node):
                        keywords = [k.arg for k in node.keywords if k.arg]
                        bad = accepts(called.parameters or (), len(node.args), keywords)
                        unfit, fit = unfit + bool(bad), fit + (not bad)
        return unfit, fit


def _names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from (node.name.rpartition(".")[2], *([node.asname] if node.asname else []))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
        yield from dict.fromkeys((node.value, node.value.rpartition(".")[2]))


def _spreads(node: ast.Call) -> bool:
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    return starred or any(k.arg is None for k in node.keywords)
