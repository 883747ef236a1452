"""What one failing test says about where its cause lies: the frames, the exception's words held
against the sources, and what the failing line of the test computes."""

import ast
import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.checks.agenda.code import Code
from bot.checks.cluster import missing_symbol
from bot.checks.report import Frame, TestResult
from bot.state.model import ProjectState, module_name

_SIMILAR = 0.75


@dataclass(frozen=True)
class Clue:
    """One reason to look at a file: `weight` is about 1 where it alone would convince."""

    path: str
    node: str
    weight: float
    said: str


class Witness:
    """Takes the clues of failing tests; `project` knows what is planned where."""

    def __init__(self, code: Code, project: ProjectState) -> None:
        self._code = code
        self._project = project

    def clues(self, test: TestResult) -> Iterator[Clue]:
        """Every clue of one failing test."""
        ours = [f for f in test.frames if not self._code.is_test(f.path)]
        yield from self._frames(ours, test)
        yield from self._words(test, ours)

    def _frames(self, ours: list[Frame], test: TestResult) -> Iterator[Clue]:
        """The frames of the project, innermost first."""
        for depth, frame in enumerate(list(reversed(ours))[:5]):
            raised = depth == 0 and self._raises(frame)
            weight = _BY_DEPTH[depth]
            said = f"{test.exception} came from" if depth == 0 else "called on the way from"
            if raised:
                weight, said = _RAISED, f"raises {test.exception} by itself in"
            node = self._code.node_at(frame.path, frame.line)
            yield Clue(frame.path, node, weight, f"{said} {frame.path}:{frame.line}")

    def _raises(self, frame: Frame) -> bool:
        return isinstance(self._code.statement_at(frame.path, frame.line), ast.Raise)

    def _words(self, test: TestResult, ours: list[Frame]) -> Iterator[Clue]:
        """What the message names, held against what is defined."""
        symbol, module = missing_symbol(test.message)
        name = symbol.rpartition(".")[2]
        where = test.frames[-1] if test.frames else None
        if test.exception in ("ImportError", "ModuleNotFoundError") and symbol:
            yield from self._import(module, "" if symbol == module else name, where)
        elif test.exception == "AttributeError" and name:
            yield from self._attribute(name, where)
        elif test.exception == "TypeError" and symbol:
            yield from self._call(symbol, where)

    def _import(self, module: str, name: str, where: Frame | None) -> Iterator[Clue]:
        home = self._code.modules.get(module, "")
        importer = where.path if where is not None else ""
        if importer and not self._code.is_test(importer) and (not home or not name):
            return
        planned = [n for n in self._project.nodes if n.name == name and n.asked and n.qualname]
        others = [n for n in self._code.named.get(name, ()) if n.parent == n.path]
        if home:
            yield Clue(home, home, 1.2, f"{home} should provide `{name}` and does not")
        elif module.split(".")[0] in {module_name(p).split(".")[0] for p in self._code.paths}:
            wanted = f"{module.replace('.', '/')}.py"
            yield Clue(wanted, wanted, 1.2, f"nothing provides the module `{module}`")
        for node in (*planned, *others):
            if node.path != home:
                yield Clue(node.path, node.id, 0.6, f"`{name}` stands in {node.path}")

    def _attribute(self, name: str, where: Frame | None) -> Iterator[Clue]:
        if where is None or not self._code.is_test(where.path):
            return
        for node in self._alike(name):
            yield Clue(node, node, 0.5, f"{node} holds a name like `{name}`")

    def _call(self, symbol: str, where: Frame | None) -> Iterator[Clue]:
        for node in self._code.named.get(symbol.rpartition(".")[2], ()):
            fits = node.qualname == symbol or node.qualname.endswith(f".{symbol}")
            if fits and where is not None and self._code.is_test(where.path):
                yield Clue(node.path, node.id, 1.2, f"{node.id} does not take what the test gives")

    def _alike(self, name: str) -> Iterable[str]:
        close = difflib.get_close_matches(name, self._code.named, n=2, cutoff=_SIMILAR)
        return dict.fromkeys(n.path for word in close for n in self._code.named[word])


_BY_DEPTH = (1.0, 0.45, 0.25, 0.15, 0.1)
_RAISED = 0.5
