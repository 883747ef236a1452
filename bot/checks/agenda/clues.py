"""What one failing test says about where its cause lies: the frames, the exception's words held
against the sources, and what the failing line computes."""

import ast
from collections.abc import Iterator, Sequence

from bot.checks.agenda.code import Code
from bot.checks.agenda.flow import providers
from bot.checks.agenda.names import LIKELY, SURE, Clue, Names, Place
from bot.checks.agenda.returns import Returns
from bot.checks.agenda.texts import tell
from bot.checks.cluster import missing_symbol
from bot.checks.report import Frame, TestResult
from bot.state.model import ProjectState

# By how far a frame stands from where the exception came up.
_BY_DEPTH = (1.0, 0.45, 0.25, 0.15, 0.1)
# The same where the innermost frame raises on purpose: its caller may have asked for too much.
_BY_CONTRACT = (0.8, 0.6, 0.35, 0.2, 0.1)
_FORGOTTEN = 2.0
_NO_NAME = ("NameError", "UnboundLocalError")
_BAD_TEXT = ("SyntaxError", "IndentationError", "TabError")


class Witness:
    """Takes the clues of failing tests; `project` knows what is planned where."""

    def __init__(self, code: Code, project: ProjectState) -> None:
        self._code = code
        self._names = Names(code, project)
        self._returns = Returns(code)

    def clues(self, test: TestResult) -> Iterator[Clue]:
        """Every clue of one failing test."""
        ours = [f for f in test.frames if not self._code.is_test(f.path)]
        ours = [f for f in ours if f.path in self._code.texts]
        last = test.frames[-1] if test.frames else None
        named = list(self._words(test, last)) if last is not None else []
        yield from named
        yield from self._nothing(test)
        if not any(c.weight >= LIKELY for c in named):
            yield from self._frames(ours, test)

    def computed(self, test: TestResult) -> dict[str, float]:
        """What computes the values on the lines of the test that the failure passed through:
        definition -> how sure."""
        found: dict[str, float] = {}
        for frame in test.frames:
            if self._code.is_test(frame.path):
                for node, sure in providers(self._code, frame.path, frame.line).items():
                    found[node] = max(sure, found.get(node, 0.0))
        return found

    def _place(self, frame: Frame) -> Place:
        return Place(frame.path, frame.line, self._code.node_at(frame.path, frame.line))

    def _frames(self, ours: Sequence[Frame], test: TestResult) -> Iterator[Clue]:
        """The frames of the project, innermost first."""
        if not ours:
            return
        raised = self._raises(ours[-1])
        by_depth = _BY_CONTRACT if raised else _BY_DEPTH
        for depth, (frame, weight) in enumerate(zip(reversed(ours), by_depth, strict=False)):
            at = self._place(frame)
            if depth:
                said = tell("on_the_way", at=at, exception=test.exception)
            else:
                key = "raises" if raised else "raised_at"
                said = tell(key, at=at, exception=test.exception)
            yield Clue(at.path, at.node, weight, said)

    def _raises(self, frame: Frame) -> bool:
        return isinstance(self._code.statement_at(frame.path, frame.line), ast.Raise)

    def _words(self, test: TestResult, last: Frame) -> Iterator[Clue]:
        """What the message names, held against what is defined."""
        at = self._place(last)
        symbol, module = missing_symbol(test.message)
        owner, _, name = symbol.rpartition(".")
        if test.exception in (*_NO_NAME, *_BAD_TEXT) and not self._code.is_test(at.path):
            key = "unknown_name" if name else "raised_at"
            said = tell(key, name=name, exception=test.exception, at=at)
            yield Clue(at.path, at.node, SURE, said)
        elif test.exception in ("ImportError", "ModuleNotFoundError") and module:
            yield from self._names.imported(module, name if symbol != module else "", at)
        elif test.exception == "AttributeError" and name and owner != "NoneType":
            yield from self._names.attribute(owner, name, at)
        elif test.exception == "TypeError" and symbol:
            yield from self._names.call(symbol, at)

    def _nothing(self, test: TestResult) -> Iterator[Clue]:
        """Where something is None that should not be: what gives the values on the failing lines,
        innermost first, and forgets to return."""
        if "None" not in test.message:
            return
        for frame in reversed(test.frames):
            for node in providers(self._code, frame.path, frame.line):
                if self._returns.gives_nothing(node):
                    path = node.partition("::")[0]
                    said = tell("returns_nothing", node=node, at=f"{frame.path}:{frame.line}")
                    yield Clue(path, node, _FORGOTTEN, said)
