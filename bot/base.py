"""What every room shares: the frozen data model and the one kind of error that a user reads."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    """Base of every value in the project: immutable, no unknown fields, JSON both ways."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ExitCode:
    """Exit codes of the `repowright` command; documented in docs/contracts.md."""

    OK = 0
    FAILED = 1
    USAGE = 2


class Outcome(StrEnum):
    """The closed list of ways in which a run ends (design 5.9)."""

    PASSED = "passed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    NO_PROGRESS = "no_progress"
    CANCELLED = "cancelled"
    MERGED = "merged"
    SPEC_REJECTED = "spec_rejected"
    MODEL_FAILED = "model_failed"
    INFRASTRUCTURE_FAILED = "infrastructure_failed"


class RepowrightError(Exception):
    """One clear error: what is wrong, where, and what to do about it.

    `outcome` is how a run ends when nothing catches the error.
    """

    outcome = Outcome.INFRASTRUCTURE_FAILED

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """The error on one line, as the command line and the issue show it."""
        where = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.what}{hint}"
