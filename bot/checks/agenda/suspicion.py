"""How much each file and definition is suspected for a cluster of failing tests."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.base import Data
from bot.checks.agenda.clues import Witness
from bot.checks.agenda.code import Code
from bot.checks.agenda.names import Clue
from bot.checks.agenda.returns import Returns
from bot.checks.agenda.spectrum import Spectrum, Telling
from bot.checks.agenda.texts import tell
from bot.checks.report import TestResult

# Of a cluster's tests so many are looked at closely.
_MOST_SAMPLES = 12
# What the use of a definition counts, beside about 1 for a clue that alone would convince: where
# lines were measured, where only the sources tell; and the part of it that is left where nothing
# tells failing tests from others.
_MEASURED = 1.2
_GUESSED = 0.5
_UNCLEAR = 0.35
# What it counts that a definition computes the failing value: where the test itself fails, where
# the project does; and the part of it that is left for what passing tests use as much.
_FLOW = 1.0
_FLOW_BESIDE_FRAMES = 0.4
_AT_LEAST = 0.3
_DIRECT = 0.3
# A dropped value, a word of the static gate, and the part of the weaker of two kinds of suspicion.
_IDLE = 0.8
_FAULT = 0.6
_WEAKER = 0.4
_SUPPORT = 0.5
_LEAST_SUSPICION = 0.1
# How far a file is raised that would explain every cluster, and the share that stands for none.
_ONE_CAUSE = 1.0
_UNEXPLAINED = 0.05

# Files of a project that serve its tests; these compare with what such files give.
_HELPS_TESTS = re.compile(r"(?:^|/)(?:tests?/|testing/|test_|conftest)|_tests?\.py$")


class Fault(Data):
    """What the static gate says of a place in a file."""

    path: str
    line: int = 0
    detail: str


@dataclass(frozen=True)
class Standing:
    """The suspects of one cluster: score by file, the likeliest definition of each, the clues."""

    score: Mapping[str, float]
    nodes: Mapping[str, str]
    clues: tuple[Clue, ...] = field(default=())

    @property
    def ranked(self) -> list[str]:
        """Files, likeliest first."""
        return sorted(self.score, key=lambda path: (-self.score[path], path))

    @property
    def best(self) -> tuple[str, str]:
        """The likeliest file, and the definition in it; "" where nothing is suspected."""
        path = next(iter(self.ranked), "")
        return path, self.nodes.get(path, "")


class Suspicion:
    """Weighs the clues of failing tests, what only they use, and what the static gate says."""

    def __init__(
        self,
        code: Code,
        witness: Witness,
        spectrum: Spectrum,
        faults: Sequence[Fault],
        failing: Sequence[str],
    ) -> None:
        self._code = code
        self._witness = witness
        self._spectrum = spectrum
        self._faults = faults
        self._returns = Returns(code)
        overall = {node: telling.weight for node, telling in spectrum.ochiai(failing).items()}
        self._overall = _scaled(overall)

    def of(self, members: Sequence[TestResult]) -> Standing:
        """The suspects of one cluster on its own."""
        told, used = self._told(members), self._used(members)
        score = _together(_by_file(told), _by_file(used))
        gate = [c for c in self._gate() if c.path in score]
        for clue in gate:
            score[clue.path] += clue.weight
        clues = (*told, *used, *gate)
        nodes: dict[str, dict[str, float]] = {}
        for clue in clues:
            if "::" in clue.node:
                table = nodes.setdefault(clue.path, {})
                table[clue.node] = table.get(clue.node, 0.0) + clue.weight
        likely = {path: max(table, key=lambda n: table[n]) for path, table in nodes.items()}
        return Standing(score, likely, clues)

    def _told(self, members: Sequence[TestResult]) -> list[Clue]:
        """The clues of the tests, each counted as the mean over them; of those that one test gives
        for the same definition the heaviest counts."""
        sample = members[:_MOST_SAMPLES]
        total: dict[tuple[str, str], float] = {}
        said: dict[tuple[str, str], str] = {}
        for member in sample:
            best: dict[tuple[str, str], Clue] = {}
            for clue in self._witness.clues(member):
                key = (clue.path, clue.node)
                if key not in best or best[key].weight < clue.weight:
                    best[key] = clue
            for key, clue in _heaviest_of_files(best.values()).items():
                total[key] = total.get(key, 0.0) + clue.weight / len(sample)
                said.setdefault(key, clue.said)
        return [Clue(key[0], key[1], weight, said[key]) for key, weight in total.items()]

    def _used(self, members: Sequence[TestResult]) -> list[Clue]:
        """For each file the definition that is told best: by what computes the failing values, and
        by whose use tells these tests, or all that fail, from those that pass."""
        ids = [m.id for m in members]
        told = self._spectrum.ochiai(ids)
        mine = _scaled({node: telling.weight for node, telling in told.items()})
        special = {n: math.sqrt(w * self._overall.get(n, w)) for n, w in mine.items()}
        flow = self._flow(members)
        ran = self._spectrum.ran(ids)
        clear = max((telling.weight for telling in told.values()), default=0.0)
        share = (_MEASURED if ran is not None else _GUESSED) * (_UNCLEAR + (1 - _UNCLEAR) * clear)
        best: dict[str, Clue] = {}
        for node in sorted(special.keys() | flow.keys()):
            path = node.partition("::")[0]
            if ran is None or node in ran or not self._code.is_function(node):
                weight = self._weight(node, special.get(node, 0.0), flow.get(node, 0.0), share)
                if weight >= _LEAST_SUSPICION and (path not in best or best[path].weight < weight):
                    said = _saying(node, told.get(node), flow.get(node, 0.0) > _DIRECT)
                    best[path] = Clue(path, node, weight, said, by_use=True)
        return list(best.values())

    def _weight(self, node: str, special: float, flow: float, share: float) -> float:
        """The suspicion of one definition: how special its use is, how much of the failing values
        it computes, and whether it drops a value."""
        weight = share * special + flow * (_AT_LEAST + (1 - _AT_LEAST) * special)
        if special and self._returns.drops_a_value(node):
            weight += _IDLE * (1 + special)
        return weight * (_SUPPORT if _HELPS_TESTS.search(node.partition("::")[0]) else 1.0)

    def _flow(self, members: Sequence[TestResult]) -> dict[str, float]:
        """What the failing values are computed by, directly or through others; the mean over the
        tests, those that fail inside the project counted less."""
        sample = members[:_MOST_SAMPLES]
        total: dict[str, float] = {}
        for member in sample:
            inside = any(not self._code.is_test(f.path) for f in member.frames)
            weight = (_FLOW_BESIDE_FRAMES if inside else _FLOW) / len(sample)
            for node, sure in self._spectrum.spread(self._witness.computed(member)).items():
                total[node] = total.get(node, 0.0) + weight * sure
        return total

    def _gate(self) -> Iterable[Clue]:
        for fault in self._faults:
            node = self._code.node_at(fault.path, fault.line)
            said = f"{fault.path}:{fault.line} {fault.detail}"
            yield Clue(fault.path, node, _FAULT, said)


def _heaviest_of_files(clues: Iterable[Clue]) -> dict[tuple[str, str], Clue]:
    """Of one test's clues, one for each file."""
    best: dict[str, Clue] = {}
    for clue in clues:
        if clue.path not in best or best[clue.path].weight < clue.weight:
            best[clue.path] = clue
    return {(c.path, c.node): c for c in best.values()}


def _saying(node: str, telling: Telling | None, direct: bool) -> str:
    """Why a definition is suspected by its use."""
    does = tell("computes" if direct else "is_used", node=node)
    if telling is None or telling.failing is None:
        return tell("less", does=does)
    return tell("counted", does=does, failing=telling.failing, passing=telling.passing)


def with_one_cause(standings: Sequence[Standing], sizes: Sequence[int]) -> list[Standing]:
    """The same suspects as shares of the likeliest, those raised that would explain all clusters
    at once: by the geometric mean of their shares, large clusters counted more."""
    shares = [_scaled(standing.score) for standing in standings]
    counts = [math.sqrt(size) for size in sizes]
    whole = sum(counts) or 1.0
    together = {
        path: math.exp(
            sum(
                n / whole * math.log(max(s.get(path, 0.0), _UNEXPLAINED))
                for s, n in zip(shares, counts, strict=True)
            )
        )
        for path in {p for s in shares for p in s}
    }
    common = _scaled(together)
    return [
        Standing(
            {path: s * (1 + _ONE_CAUSE * common[path]) for path, s in share.items()},
            standing.nodes,
            standing.clues,
        )
        for standing, share in zip(standings, shares, strict=True)
    ]


def _by_file(clues: Iterable[Clue]) -> dict[str, float]:
    total: dict[str, float] = {}
    for clue in clues:
        total[clue.path] = total.get(clue.path, 0.0) + clue.weight
    return total


def _together(told: Mapping[str, float], used: Mapping[str, float]) -> dict[str, float]:
    """Both kinds of suspicion by file. They are not independent, for what a failure passes through
    is also what failing tests alone run; so the weaker one counts in part."""
    return {
        path: max(told.get(path, 0.0), used.get(path, 0.0))
        + _WEAKER * min(told.get(path, 0.0), used.get(path, 0.0))
        for path in told.keys() | used.keys()
    }


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    """The same weights with 1 as the greatest."""
    top = max(weights.values(), default=0.0) or 1.0
    return {key: weight / top for key, weight in weights.items()}
