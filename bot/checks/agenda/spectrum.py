"""Which definitions failing tests use and passing ones do not (spectrum-based fault localisation
with Ochiai's coefficient, doi:10.1109/TAIC.PART.2007.13), on uses that the sources tell."""

import ast
import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from bot.checks.agenda.code import Code, last_name
from bot.checks.agenda.test_sources import names_of
from bot.state.extract import Definition
from bot.state.model import file_id

Reach = Mapping[str, float]


@dataclass(frozen=True)
class Telling:
    """How well the use of a definition tells failing tests from those that pass (0 to 1), and how
    many of each ran its most telling line, None where that was not measured."""

    weight: float
    failing: int | None = None
    passing: int | None = None


_STEP = 0.8
_LEAST = 0.08
_SET_UP = ("setUp", "setUpClass", "setup_method", "setup_class", "setup", "asyncSetUp")


class Spectrum:
    """What each test reaches: node id -> how sure and how direct, 0 to 1."""

    def __init__(self, code: Code, tests: Iterable[str]) -> None:
        self._code = code
        self._known: dict[str, Reach] = {}
        self._tests = tuple(tests)

    def reach(self, test_id: str) -> Reach:
        """What a test uses, by its function; the tests of one function share the answer."""
        path, names = names_of(test_id)
        start = file_id(path, ".".join(names))
        if start not in self._known:
            self._known[start] = self._reached(start)
        return self._known[start]

    @cached_property
    def _all(self) -> tuple[Reach, ...]:
        return tuple(self.reach(test) for test in self._tests)

    @cached_property
    def _everywhere(self) -> Mapping[str, float]:
        """By node, the sum over all tests that ran."""
        total: dict[str, float] = {}
        for reach in self._all:
            for node, weight in reach.items():
                total[node] = total.get(node, 0.0) + weight
        return total

    def ran(self, failing: Iterable[str]) -> frozenset[str] | None:
        """The definitions that these tests ran; None where nothing was measured."""
        return None

    def ochiai(self, failing: Iterable[str]) -> dict[str, Telling]:
        """By node: how well its use tells these failing tests from all others."""
        sums: dict[str, float] = {}
        count = 0
        for test in failing:
            count += 1
            for node, weight in self.reach(test).items():
                sums[node] = sums.get(node, 0.0) + weight
        return {
            node: Telling(s / math.sqrt(count * max(s, self._everywhere.get(node, 0.0))))
            for node, s in sums.items()
        }

    def _reached(self, start: str) -> Reach:
        return self.spread(dict.fromkeys((start, *self._before(start)), 1.0))

    def spread(self, starts: Mapping[str, float]) -> Reach:
        """What some definitions of the project use, directly or through others: weaker with each
        step between files of the project, and with each guess."""
        best: dict[str, float] = {}
        waiting = [(-weight, node) for node, weight in starts.items()]
        heapq.heapify(waiting)
        while waiting:
            negative, node = heapq.heappop(waiting)
            if node in best:
                continue
            best[node] = -negative
            test = self._code.is_test(node.partition("::")[0])
            extra = dict.fromkeys(self._fixtures(node), 1.0) if test else {}
            for target, sure in {**self._code.edges.get(node, {}), **extra}.items():
                weight = -negative * sure * (1.0 if test else _STEP)
                if target not in best and weight >= _LEAST:
                    heapq.heappush(waiting, (-weight, target))
        return {n: w for n, w in best.items() if not self._code.is_test(n.partition("::")[0])}

    def _before(self, start: str) -> list[str]:
        """What runs before a test: set-up methods of its class, bases included, and fixtures that
        nobody has to ask for."""
        path, _, qualname = start.partition("::")
        owner = qualname.rpartition(".")[0]
        found = [n for n, auto in self._fixture_table(path).values() if auto]
        if owner:
            for cls in self._code.lookup.ancestry(file_id(path, owner)):
                found += [
                    f"{cls.id}.{name}"
                    for name in _SET_UP
                    if self._code.lookup.node(f"{cls.id}.{name}") is not None
                ]
        return found

    def _fixtures(self, node_id: str) -> list[str]:
        """The fixtures that a function of a test file asks for by its parameters."""
        stmt = self._code.trees.get(node_id)
        if not isinstance(stmt, Definition):
            return []
        table = self._fixture_table(node_id.partition("::")[0])
        wanted = [a.arg for a in (*stmt.args.posonlyargs, *stmt.args.args, *stmt.args.kwonlyargs)]
        return [table[name][0] for name in wanted if name in table and table[name][0] != node_id]

    def _fixture_table(self, path: str) -> Mapping[str, tuple[str, bool]]:
        """Fixture name -> (node id, whether every test gets it), of a file and of the
        `conftest.py` files above it."""
        if path not in self._tables:
            folders = [f.as_posix() for f in reversed(PurePosixPath(path).parents)]
            places = [f"{f}/conftest.py".removeprefix("./") for f in folders]
            table: dict[str, tuple[str, bool]] = {}
            for place in (*places, path):
                for node_id, stmt in self._code.spans.get(place, ()):
                    table |= _as_fixture(node_id, stmt)
            self._tables[path] = table
        return self._tables[path]

    @cached_property
    def _tables(self) -> dict[str, Mapping[str, tuple[str, bool]]]:
        return {}


def _as_fixture(node_id: str, stmt: ast.stmt) -> dict[str, tuple[str, bool]]:
    for decorator in getattr(stmt, "decorator_list", ()):
        call = decorator if isinstance(decorator, ast.Call) else None
        if last_name(call.func if call else decorator) == "fixture":
            given = {k.arg: k.value for k in call.keywords} if call else {}
            name = given.get("name")
            auto = given.get("autouse")
            said = name.value if isinstance(name, ast.Constant) else None
            return {
                str(said or getattr(stmt, "name", "")): (
                    node_id,
                    isinstance(auto, ast.Constant) and auto.value is True,
                )
            }
    return {}
