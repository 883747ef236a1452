"""Reads how many tests passed out of what a check run says, whoever wrote it."""

import re

from bot.base import Data

_NUMBER = r"\b(\d[\d,]{0,8})"
_COUNT = re.compile(
    _NUMBER + r"\s{1,3}(?:tests?\s)?(passed|passing|failed|failing|errors?|skipped)\b", re.I
)
_COUNT_AFTER = re.compile(r"\b(passed|failed|errors|skipped)\b[\s:|*=]{1,8}(\d[\d,]{0,8})", re.I)
_RATIO = re.compile(
    _NUMBER + r"\s?(?:of|/|out of)\s?(\d[\d,]{0,8})\s(?:check\s)?(?:tests?\s)?"
    r"(pass|fail)(?:ed|ing)?\b",
    re.I,
)
_ALL = re.compile(r"\ball (\d[\d,]{0,8}) (?:check )?tests? (?:pass|passed)\b", re.I)
_LOOK_AT = 4_000
"""Characters at the start of a text in which a tally is looked for."""


class Tally(Data):
    """Numbers of tests of one check run; errors count as failed."""

    passed: int
    failed: int
    skipped: int = 0

    @property
    def total(self) -> int:
        """Tests that ran."""
        return self.passed + self.failed

    @property
    def words(self) -> str:
        return f"{self.passed} of {self.total} passed"


def read(*texts: str | None) -> Tally | None:
    """The tally that the first text which tells one tells."""
    for text in texts:
        found = _read((text or "")[:_LOOK_AT])
        if found:
            return found
    return None


def _read(text: str) -> Tally | None:
    whole = _ALL.search(text)
    if whole:
        return Tally(passed=_number(whole[1]), failed=0)
    ratio = _RATIO.search(text)
    if ratio:
        part, total = _number(ratio[1]), _number(ratio[2])
        passed = part if ratio[3].lower() == "pass" else max(0, total - part)
        return Tally(passed=passed, failed=max(0, total - passed)) if total else None
    counts = {_kind(word): _number(n) for n, word in reversed(_COUNT.findall(text))}
    if not counts:
        counts = {_kind(word): _number(n) for word, n in reversed(_COUNT_AFTER.findall(text))}
    if not counts.keys() & {"passed", "failed"}:
        return None
    return Tally(
        passed=counts.get("passed", 0),
        failed=counts.get("failed", 0) + counts.get("error", 0),
        skipped=counts.get("skipped", 0),
    )


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _kind(word: str) -> str:
    lower = word.lower()
    if lower.startswith("pass"):
        return "passed"
    if lower.startswith("fail"):
        return "failed"
    return "error" if lower.startswith("error") else "skipped"
