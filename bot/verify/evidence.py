"""What a tool says, and the verdict that rests on it (design 4: no verdict without Evidence)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from bot.base import Data
from bot.spec.model import Location


class Tool(StrEnum):
    """The judge's tools that give Evidence."""

    STRUCTURE = "structure verifier"
    INTERFACE = "interface verifier"
    MISSING_FILES = "missing file detector"
    COVERAGE = "skeleton coverage verifier"
    USAGE = "check test usage"
    MESSAGES = "sequence diagrams"
    GATE = "static gate"
    TESTS = "check tests"
    MODEL = "model"


class Rule(StrEnum):
    """What kind of fault was found, whatever the words say; the names are stable."""

    # The documents against the structure.
    ORPHAN = "orphan"
    NO_PYTHON = "no-python"
    NO_PURPOSE = "no-purpose"
    NO_SIGNATURE = "no-signature"
    CLASS_MISSING = "class-missing"
    MEMBER_MISSING = "member-missing"
    FILE_MISSING = "file-missing"
    NOT_SERVED = "not-served"
    # The structure against the code.
    NOT_DEFINED = "not-defined"
    MESSAGE = "message"
    # The check tests against the structure.
    MODULE_MISSING = "module-missing"
    NAME_MISSING = "name-missing"
    CALL = "call"
    # The code on its own.
    SYNTAX = "syntax"
    UNDEFINED_NAME = "undefined-name"
    MISPLACED = "misplaced"
    FORMAT = "format"
    IMPORT = "import"
    CYCLE = "cycle"
    MEMBER = "member"
    ARGUMENT = "argument"
    NO_RESULT = "no-result"
    MISSING_RETURN = "missing-return"
    PLACEHOLDER = "placeholder"
    # The check tests against the code.
    TEST = "test"
    NOT_RUN = "not-run"


class Evidence(Data):
    """One fact from one tool. `rule` says what kind of fact it is; `subject` is a node id, path or
    test id; `location` is where a reader can see it, in a document or in a file of the
    repository."""

    tool: Tool
    rule: Rule
    subject: str
    verdict: Literal["ok", "fault", "warning"]
    detail: str
    location: Location | None = None


class Verdict(Data):
    """Pass or revise, with what it rests on; `checked` counts what each tool looked at."""

    passed: bool
    evidence: tuple[Evidence, ...]
    checked: dict[str, int]

    @property
    def word(self) -> Literal["pass", "revise", "unverified"]:
        """The verdict as a word; where no tool looked at anything, nothing was verified."""
        if not any(self.checked.values()) and not self.faults:
            return "unverified"
        return "pass" if self.passed else "revise"

    @property
    def faults(self) -> tuple[Evidence, ...]:
        return tuple(e for e in self.evidence if e.verdict == "fault")

    @property
    def warnings(self) -> tuple[Evidence, ...]:
        return tuple(e for e in self.evidence if e.verdict == "warning")


def verdict_of(*findings: Iterable[Evidence], checked: dict[str, int]) -> Verdict:
    """A verdict passes when no tool found a fault and at least one tool looked at something."""
    evidence = tuple(e for group in findings for e in group)
    looked = sum(checked.values()) > 0
    return Verdict(
        passed=looked and not any(e.verdict == "fault" for e in evidence),
        evidence=evidence,
        checked=checked,
    )
