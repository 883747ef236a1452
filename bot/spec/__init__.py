"""Issue text or folder in, Spec out. Pure: no I/O, clock, environment or randomness."""

from bot.spec.folder import spec_from_files
from bot.spec.issue import spec_from_issue
from bot.spec.references import References, references
from bot.spec.report import counts, lint_report

__all__ = [
    "References",
    "counts",
    "lint_report",
    "references",
    "spec_from_files",
    "spec_from_issue",
]
