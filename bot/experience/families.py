"""Families of failures: which one a failing test belongs to, and the words it is found again by."""

import builtins
import re
from collections import Counter
from functools import cache
from importlib import resources

import yaml
from pydantic import Field

from bot.base import Data
from bot.checks.report import Report, TestOutcome, TestResult
from bot.experience.signs import signs_of

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_WORD = re.compile(r"[a-z]+")
_LONGEST_LINE = 400
_SAMPLES = 5
_WITHOUT_CAUSE = ("NotRun", "Changed")
_KNOWN = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
) | {"Failed", "Timeout", "Crash"}


class Family(Data):
    """One way to recognise a kind of failure, and what is advised for it; see families.yaml."""

    name: str
    exceptions: frozenset[str] = frozenset()
    message: str = ""
    signs: frozenset[str] = Field(default=frozenset())
    scenario: str
    strategy: str

    def fits(self, exception: str, message: str, signs: frozenset[str]) -> bool:
        return (
            (not self.exceptions or exception.rpartition(".")[2] in self.exceptions)
            and (not self.message or _pattern(self.message).search(message) is not None)
            and self.signs <= signs
        )


class Trouble(Data):
    """The failing tests of one family in a report."""

    family: Family
    tests: tuple[TestResult, ...]

    @property
    def signal(self) -> tuple[str, ...]:
        """The words of a few of the tests, each word once for each test that says it."""
        return tuple(word for test in self.tests[:_SAMPLES] for word in signal_of(test))


@cache
def families() -> tuple[Family, ...]:
    """All families in the order in which they are tried; the last fits everything."""
    return tuple(Family.model_validate(entry) for entry in yaml.safe_load(_text("families.yaml")))


def family_of(result: TestResult) -> Family:
    """The first family that fits a failing test."""
    signs = signs_of(result)
    return next(f for f in families() if f.fits(result.exception, result.message, signs))


def signal_of(result: TestResult) -> tuple[str, ...]:
    """What a failing test says, in words that no project made up: its family, its exception where
    Python or the tests' runner defines it, what it shows, and the known words of its message."""
    exception = result.exception.rpartition(".")[2]
    known = exception.lower() if exception in _KNOWN else "own_exception"
    said = _QUOTED.sub(" ", result.message.partition("\n")[0][:_LONGEST_LINE]).lower()
    words = [word for word in _WORD.findall(said) if word in _vocabulary()]
    return (f"family_{family_of(result).name}", known, *sorted(signs_of(result)), *words)


def troubles(report: Report) -> tuple[Trouble, ...]:
    """The failing tests by family: what breaks imports first, then the largest."""
    groups: dict[str, list[tuple[Family, TestResult]]] = {}
    for test in failing(report):
        family = family_of(test)
        groups.setdefault(family.name, []).append((family, test))
    found = [_trouble(members) for members in groups.values()]
    return tuple(sorted(found, key=_urgency))


@cache
def background() -> tuple[tuple[str, ...], ...]:
    """One document a family, in the words of `signal_of`, as a ground for the words' weights."""
    return tuple(_of_family(family) for family in families())


def failing(report: Report) -> tuple[TestResult, ...]:
    """Tests that failed for a reason of their own."""
    return tuple(
        test
        for test in report.tests
        if test.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)
        and test.exception not in _WITHOUT_CAUSE
    )


def _of_family(family: Family) -> tuple[str, ...]:
    said = f"{family.message} {family.scenario}".lower()
    words = [word for word in _WORD.findall(said) if word in _vocabulary()]
    exceptions = (name.lower() for name in family.exceptions & _KNOWN)
    return (f"family_{family.name}", *sorted(exceptions), *sorted(family.signs), *words)


def _urgency(trouble: Trouble) -> tuple[bool, int, str]:
    importing = any("::" not in test.id for test in trouble.tests)
    return not importing, -len(trouble.tests), trouble.family.name


def _trouble(members: list[tuple[Family, TestResult]]) -> Trouble:
    """Families of one name differ in scenario; the tests decide by majority."""
    by_scenario = {family.scenario: family for family, _ in members}
    (commonest, _), *_ = Counter(family.scenario for family, _ in members).most_common(1)
    return Trouble(family=by_scenario[commonest], tests=tuple(test for _, test in members))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(_text("vocabulary.txt").split())


def _text(name: str) -> str:
    return resources.files("bot.experience").joinpath(name).read_text("utf-8")
