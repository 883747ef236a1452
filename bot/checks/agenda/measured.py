"""Which definitions failing tests ran and passing ones did not: Ochiai's coefficient over the lines
that were measured (doi:10.1109/TAIC.PART.2007.13)."""

import math
from collections import Counter
from collections.abc import Iterable

from bot.checks.agenda.code import Code
from bot.checks.agenda.spectrum import Spectrum
from bot.checks.report import Spectrum as Ran


class Measured(Spectrum):
    """The uses that the sources tell, and in their place the lines that tests ran where the check
    run measured them."""

    def __init__(self, code: Code, tests: Iterable[str], ran: Ran) -> None:
        super().__init__(code, tests)
        self._ran = ran
        self._project = frozenset(code.paths)

    def ochiai(self, failing: Iterable[str]) -> dict[str, float]:
        """By node: how well its most telling line tells these failing tests from those that pass;
        of tests that were not followed only where none was."""
        failing = tuple(failing)
        followed = [t for t in failing if self._ran.failed.get(t)]
        if not followed:
            return super().ochiai(failing)
        ran = Counter(
            (path, line)
            for test in followed
            for path, lines in self._ran.failed[test].items()
            if path in self._project
            for line in lines
        )
        best: dict[str, float] = {}
        for (path, line), count in ran.items():
            passed = self._ran.lines.get(path, {}).get(line, 0)
            value = count / math.sqrt(len(followed) * (count + passed))
            node = self._code.node_at(path, line)
            best[node] = max(best.get(node, 0.0), value)
        return best
