"""Which definitions failing tests ran and passing ones did not: Ochiai's coefficient over the lines
that were measured (doi:10.1109/TAIC.PART.2007.13)."""

import math
from collections import Counter
from collections.abc import Iterable

from bot.checks.agenda.code import Code
from bot.checks.agenda.spectrum import Spectrum, Telling
from bot.checks.report import Spectrum as Ran


class Measured(Spectrum):
    """The uses that the sources tell, and in their place the lines that tests ran where the check
    run measured them."""

    def __init__(self, code: Code, tests: Iterable[str], ran: Ran) -> None:
        super().__init__(code, tests)
        self._ran = ran
        self._project = frozenset(code.paths)

    def ran(self, failing: Iterable[str]) -> frozenset[str] | None:
        """The definitions that these tests ran; None where none of them was followed."""
        lines = self._lines(failing)
        return frozenset(self._code.node_at(*place) for place in lines) if lines else None

    def ochiai(self, failing: Iterable[str]) -> dict[str, Telling]:
        """By node: how well its most telling line tells these failing tests from those that pass;
        of tests that were not followed only where none was."""
        failing = tuple(failing)
        followed = sum(bool(self._ran.failed.get(test)) for test in failing)
        if not followed:
            return super().ochiai(failing)
        best: dict[str, Telling] = {}
        for (path, line), count in self._lines(failing).items():
            passed = self._ran.lines.get(path, {}).get(line, 0)
            value = count / math.sqrt(followed * (count + passed))
            node = self._code.node_at(path, line)
            if node not in best or best[node].weight < value:
                best[node] = Telling(value, count, passed)
        return best

    def _lines(self, failing: Iterable[str]) -> Counter[tuple[str, int]]:
        """How many of these tests ran each line of the project."""
        return Counter(
            (path, line)
            for test in failing
            for path, lines in self._ran.failed.get(test, {}).items()
            if path in self._project
            for line in lines
        )
