"""What a report's failures look like, so that a run can tell whether anything moves. Pure."""

import re
from collections.abc import Mapping
from hashlib import sha256

from bot.checks.report import Report, TestOutcome, TestResult
from bot.checks.steady import steady

_LENGTH = 16
_PATH = re.compile(r"(?:<tmp>)?(?:[\w.~-]*/)+[\w.-]+")
_NUMBER = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b")


def fingerprint(report: Report) -> str:
    """A digest of the set of (test, exception, where in the project, what it says); "" where
    nothing fails. Parameters, line numbers, values, addresses and paths are left out: a failure
    of another kind gives another digest, the same failure a line further down does not."""
    told = sorted({"\0".join(_kind(t, report)) for t in report.tests if _fails(t)})
    if not report.collected:
        told.append(f"\0{_plain(report.problem)}")
    return digest("\n".join(told)) if told else ""


def digest_of(files: Mapping[str, str]) -> str:
    """A digest of a tree's texts."""
    return digest("\0".join(f"{path}\0{text}" for path, text in sorted(files.items())))


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _fails(test: TestResult) -> bool:
    return test.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)


def _kind(test: TestResult, report: Report) -> tuple[str, str, str, str]:
    return test.id.partition("[")[0], test.exception, _place(test, report), _plain(test.message)


def _place(test: TestResult, report: Report) -> str:
    """The innermost function of the project that the failure went through; "" where the test
    itself fails."""
    tests = {t.id.partition("::")[0] for t in report.tests}
    ours = [f for f in test.frames if f.path not in tests]
    return f"{ours[-1].path}:{ours[-1].function}" if ours else ""


def _plain(message: str) -> str:
    return " ".join(_NUMBER.sub("#", _PATH.sub("<path>", steady(message))).split())
