"""What a repair of code that the bot did not write was for, told test by test: what the model says
of a cause stands beside what tools saw of it, and beside what became of the tests. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from bot.checks.agenda.targets import Target
from bot.checks.report import Report, TestOutcome, TestResult
from bot.markdown import code
from bot.phases.run import Cause, Mending
from bot.phases.texts import say
from bot.phases.touched import functions_at, touched_lines
from bot.syntax import source_lines

_LONGEST_EXPLANATION = 2_000
_LONGEST_DIFF = 6_000
_MOST_TESTS = 20
_MOST_EVIDENCE = 3
_MOST_LINES = 8
_MOST_NAMES = 3
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[A-Za-z_]\w*")
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
    mended = _mended(target, failed, changed, words)
    files = tuple(dict.fromkeys(path for path, _ in mended)) or target.files
    guess = target.node.partition("::")[2]
    return Cause(
        files=files,
        names=tuple(name for _, name in mended) or ((guess,) if guess else ()),
        tests=target.tests[:_MOST_TESTS],
        says=f"{first.exception}: {said}".strip(": ")[:400] if first else target.title,
        place=place,
        line=line,
        evidence=(*_ran(target, files, failed, changed), *_clues(target)),
        explanation=words,
    )


def _mended(
    target: Target, failed: Failed, changed: Mapping[str, str], words: str
) -> list[tuple[str, str]]:
    """(path, function) of what the change touches, the model's words name and tests of the target
    ran, as far as they were followed: there it was wrong, whatever was likely before."""
    spectrum = failed.report.spectrum
    followed = [spectrum.failed[t] for t in target.tests if t in spectrum.failed]
    said = {name for text in _CODE.findall(words) for name in _NAME.findall(text)}
    found: list[tuple[str, str]] = []
    for path in sorted(changed):
        old = failed.code.get(path, "")
        ran = {line for lines in followed for line in lines.get(path, ())}
        for name, lines in functions_at(old, touched_lines(old, changed[path])).items():
            if name.rpartition(".")[2] in said and (ran & lines or not followed):
                found.append((path, name))
    return found[:_MOST_NAMES]


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


def _ran(
    target: Target, files: Collection[str], failed: Failed, changed: Mapping[str, str]
) -> list[str]:
    """Of each changed one of these files: how many of the target's tests ran the lines that the
    change touches, and how many passing tests, as far as that was measured."""
    spectrum = failed.report.spectrum
    followed = [spectrum.failed[t] for t in target.tests if t in spectrum.failed]
    said: list[str] = []
    for path in (p for p in sorted(changed) if p in files):
        touched = touched_lines(failed.code.get(path, ""), changed[path])
        reached = [touched.intersection(lines.get(path, ())) for lines in followed]
        lines = frozenset().union(*reached)
        counts = spectrum.lines.get(path, {})
        if lines:
            said.append(
                say(
                    "cause_ran_line" if len(lines) == 1 else "cause_ran_lines",
                    path=code(path),
                    lines=_numbers(lines),
                    ran=sum(map(bool, reached)),
                    followed=len(followed),
                    passing=max(counts.get(number, 0) for number in lines),
                )
            )
    return said


def _numbers(lines: Iterable[int]) -> str:
    shown = sorted(lines)
    text = ", ".join(map(str, shown[:_MOST_LINES]))
    return text + (", …" if len(shown) > _MOST_LINES else "")


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
