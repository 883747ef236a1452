"""Which packages an agent may add: pip requirement lines of things that are not test tools."""

import re
from collections.abc import Iterable

from bot.verify.imports import distributions

_LINE = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?\s*([<>=!~]=?\s*[\w.*]+\s*,?\s*)*")
# pytest loads every installed plugin, and these make or measure the environment.
_TEST_TOOL = re.compile(r"pytest(-.*)?|.*-pytest|pluggy|coverage|hypothesis|pip|setuptools|wheel")


def wanted(lines: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(lines that may be added, lines that may not): no addresses, options or paths, and no
    package that could change how the check tests run."""
    kept: list[str] = []
    refused: list[str] = []
    for line in dict.fromkeys(line.strip() for line in lines):
        names = distributions([line])
        well = _LINE.fullmatch(line) and not any(_TEST_TOOL.fullmatch(n) for n in names)
        (kept if well else refused).append(line)
    return tuple(kept), tuple(refused)
