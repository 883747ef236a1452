"""What a repair of code that the bot did not write was for, told test by test: what the model says
of a cause stands beside what tools saw of it, and beside what became of the tests. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from bot.checks.agenda.targets import Target
from bot.checks.report import Report, TestOutcome, TestResult
from bot.markdown import code
from bot.phases.run import Cause, Mending
from bot.phases.texts import say
from bot.syntax import source_lines

_LONGEST_EXPLANATION = 2_000
_LONGEST_DIFF = 6_000
_MOST_TESTS = 20
_MOST_EVIDENCE = 3
_MOST_LINES = 8
_NUMBERED = re.compile(r"^[#*\s]*(\d{1,2})[.):]", re.MULTILINE)


@dataclass(frozen=True)
class Failed:
    """What failed: the report, and the texts by path of the code that it is about and of its
    tests."""

    report: Report
    code: Mapping[str, str]
    tests: Mapping[str, str]


def mending(
    iteration: int,
    targets: Sequence[Target],
    failed: Failed,
    changed: Mapping[str, str],
    explanation: str,
) -> Mending:
    """The repair that gave the files of `changed` (path -> text) their texts on account of the
    report's targets, which the model was shown under the numbers from 1 on."""
    said = explanations(explanation, len(targets))
    causes = (
        _cause(target, failed, changed, words) for target, words in zip(targets, said, strict=True)
    )
    return Mending(
        iteration=iteration,
        causes=tuple(causes),
        explanation="" if any(said) else explanation[:_LONGEST_EXPLANATION],
        diff=_diff(failed.code, changed),
    )


def explanations(text: str, count: int) -> tuple[str, ...]:
    """What is said under each number from 1 to `count`; "" where it says nothing of one. With one
    target everything is of that."""
    if count == 1:
        return (_NUMBERED.sub("", text.strip(), count=1).strip()[:_LONGEST_EXPLANATION],)
    starts = list(_NUMBERED.finditer(text))
    ends = [*(m.start() for m in starts[1:]), len(text)]
    found: dict[int, str] = {}
    for start, end in zip(starts, ends, strict=True):
        words = text[start.end() : end].strip().strip("*").strip()
        found.setdefault(int(start[1]), words[:_LONGEST_EXPLANATION])
    return tuple(found.get(number, "") for number in range(1, count + 1))


def judged(
    mendings: Sequence[Mending], iteration: int, report: Report, *, kept: bool, lost: int
) -> tuple[Mending, ...]:
    """The repairs with what the check of this iteration's commit says of them; `lost` tests passed
    before it and do not now."""
    passing = {t.id for t in report.tests if t.outcome is TestOutcome.PASSED}

    def told(one: Mending) -> Mending:
        if one.iteration != iteration or one.result:
            return one
        causes = tuple(
            c.model_copy(update={"passing": len(passing.intersection(c.tests))}) for c in one.causes
        )
        result = "kept" if kept else "taken_back"
        return one.model_copy(update={"causes": causes, "result": result, "lost": lost})

    return tuple(told(one) for one in mendings)


def _cause(target: Target, failed: Failed, changed: Mapping[str, str], words: str) -> Cause:
    results = {t.id: t for t in failed.report.tests}
    first = next((results[t] for t in target.tests if t in results), None)
    place, line = _place(first, failed) if first is not None else ("", "")
    said = first.message.strip().partition("\n")[0] if first is not None else ""
    return Cause(
        files=target.files,
        node=target.node.partition("::")[2],
        tests=target.tests[:_MOST_TESTS],
        says=f"{first.exception}: {said}".strip(": ")[:400] if first else target.title,
        place=place,
        line=line,
        evidence=(*_ran(target, failed, changed), *_clues(target)),
        explanation=words,
    )


def _clues(target: Target) -> list[str]:
    """What the agenda says of a target, once of each place."""
    once = {said.partition(": ")[0]: said for said in reversed(target.evidence)}
    return list(reversed(once.values()))[:_MOST_EVIDENCE]


def _place(test: TestResult, failed: Failed) -> tuple[str, str]:
    """The innermost frame of a failure in the project's own code, else in the test, and its line of
    code as far as that is known."""
    inside = [f for f in test.frames if f.path in failed.code] or list(test.frames)
    if not inside:
        return "", ""
    frame = inside[-1]
    lines = source_lines({**failed.tests, **failed.code}.get(frame.path, ""))
    text = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
    return f"{frame.path}:{frame.line}", text[:200]


def _ran(target: Target, failed: Failed, changed: Mapping[str, str]) -> list[str]:
    """Of each changed file that the target concerns: how many of its tests ran the lines that the
    change touches, and how many passing tests, as far as that was measured."""
    spectrum = failed.report.spectrum
    followed = [t for t in target.tests if t in spectrum.failed]
    said: list[str] = []
    for path in (p for p in sorted(changed) if p in target.files):
        touched = _changed_lines(failed.code.get(path, ""), changed[path])
        ran = sum(bool(touched.intersection(spectrum.failed[t].get(path, ()))) for t in followed)
        counts = spectrum.lines.get(path, {})
        passing = max((counts.get(number, 0) for number in touched), default=0)
        if ran:
            names = {"path": code(path), "lines": _numbers(touched), "followed": len(followed)}
            said.append(say("cause_ran", ran=ran, passing=passing, **names))
    return said


def _numbers(lines: Iterable[int]) -> str:
    shown = sorted(lines)
    text = ", ".join(map(str, shown[:_MOST_LINES]))
    return text + (", …" if len(shown) > _MOST_LINES else "")


def _changed_lines(old: str, new: str) -> frozenset[int]:
    """Numbers of the old lines that a change touches; of what is only added, the lines around."""
    before, after = source_lines(old), source_lines(new)
    found: set[int] = set()
    for tag, start, end, _, _ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":
            found |= {start, start + 1}
        elif tag != "equal":
            found |= set(range(start + 1, end + 1))
    return frozenset(found)


def _diff(before: Mapping[str, str], changed: Mapping[str, str]) -> str:
    lines = (
        line
        for path in sorted(changed)
        for line in unified_diff(
            source_lines(before.get(path, "")),
            source_lines(changed[path]),
            path if path in before else "/dev/null",
            path,
            lineterm="",
            n=2,
        )
    )
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_DIFF else f"{text[:_LONGEST_DIFF]}\n…"
