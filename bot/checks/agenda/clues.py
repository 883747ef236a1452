"""What one failing test says about where its cause lies: the frames, the exception's words held
against the sources, and what the failing line computes."""

import ast
import re
from collections.abc import Iterator, Sequence

from bot.checks.agenda.code import Code
from bot.checks.agenda.flow import providers
from bot.checks.agenda.names import LIKELY, SURE, Clue, Names, Place
from bot.checks.cluster import missing_symbol
from bot.checks.report import Frame, TestResult
from bot.state.model import ProjectState

# By how far a frame stands from where the exception came up.
_BY_DEPTH = (1.0, 0.45, 0.25, 0.15, 0.1)
# The same where the innermost frame raises on purpose: its caller may have asked for too much.
_BY_CONTRACT = (0.8, 0.6, 0.35, 0.2, 0.1)
_COMPUTED = 0.9
_NOTHING = 1.1
_NO_NAME = ("NameError", "UnboundLocalError")
_BAD_TEXT = ("SyntaxError", "IndentationError", "TabError")
_EXPECTS = re.compile(r"\b(?:raises|assertRaises|assertRaisesRegex|assertRaisesRegexp)$")


class Witness:
    """Takes the clues of failing tests; `project` knows what is planned where."""

    def __init__(self, code: Code, project: ProjectState) -> None:
        self._code = code
        self._names = Names(code, project)

    def clues(self, test: TestResult) -> Iterator[Clue]:
        """Every clue of one failing test."""
        ours = [f for f in test.frames if not self._code.is_test(f.path)]
        ours = [f for f in ours if f.path in self._code.texts]
        last = test.frames[-1] if test.frames else None
        named = list(self._words(test, last)) if last is not None else []
        yield from named
        if not any(c.weight >= LIKELY for c in named):
            yield from self._frames(ours, test)
            yield from self._values(test, ours, last)

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
                said = f"{at} is on the way to {test.exception}"
            else:
                said = f"{at} raises {test.exception}" if raised else f"{test.exception} at {at}"
            yield Clue(at.path, at.node, weight, said)

    def _raises(self, frame: Frame) -> bool:
        return isinstance(self._code.statement_at(frame.path, frame.line), ast.Raise)

    def _words(self, test: TestResult, last: Frame) -> Iterator[Clue]:
        """What the message names, held against what is defined."""
        at = self._place(last)
        symbol, module = missing_symbol(test.message)
        owner, _, name = symbol.rpartition(".")
        if test.exception in (*_NO_NAME, *_BAD_TEXT) and not self._code.is_test(at.path):
            what = f"`{name}` is not known at" if name else f"{test.exception} at"
            yield Clue(at.path, at.node, SURE, f"{what} {at}")
        elif test.exception in ("ImportError", "ModuleNotFoundError") and module:
            yield from self._names.imported(module, name if symbol != module else "", at)
        elif test.exception == "AttributeError" and name and owner != "NoneType":
            yield from self._names.attribute(owner, name, at)
        elif test.exception == "TypeError" and symbol:
            yield from self._names.call(symbol, at)

    def _values(
        self, test: TestResult, ours: Sequence[Frame], last: Frame | None
    ) -> Iterator[Clue]:
        """What the values on the failing line come from: of the innermost line of the project
        where something is None that should not be, of the test's line where it compares."""
        if last is None:
            return
        if ours and last.path == ours[-1].path and "NoneType" in test.message:
            yield from self._computed(last, _NOTHING, "gives what is None at")
        for frame in reversed(test.frames):
            if self._code.is_test(frame.path):
                weight = _COMPUTED / (2 if ours else 1)
                yield from self._computed(frame, weight, "computes what fails at")

    def _computed(self, frame: Frame, weight: float, said: str) -> Iterator[Clue]:
        found = providers(self._code, frame.path, frame.line)
        for node, sure in found.items():
            path = node.partition("::")[0]
            if not self._code.is_test(path) and "::" in node:
                yield Clue(path, node, weight * sure, f"{node} {said} {frame.path}:{frame.line}")
