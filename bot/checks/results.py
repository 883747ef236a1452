"""Turns the files of a check run into a Report. They come from a place where generated code ran, so
nothing in them is trusted to be well-formed or small."""

import re
import signal
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from junitparser import Error, JUnitXml, JUnitXmlError, Properties, Property, Skipped, TestCase
from junitparser import Failure as JUnitFailure
from pydantic import Field, ValidationError

from bot.base import Data
from bot.checks.distrust import json_of, seconds_of, text_of
from bot.checks.events import LONGEST_ID, Failure, Phases, Progress, read_progress
from bot.checks.report import FileCoverage, Report, Spectrum, TestOutcome, TestResult
from bot.checks.steady import cropped, steady

LONGEST_DETAIL = 6000
LONGEST_MESSAGE = 600
_MESSAGE_LINES = 6
_LOG_TAIL = 8000
_LONGEST_RAW = 4 * LONGEST_DETAIL
_MOST_TESTS = 20_000
_MOST_LINES = 100_000
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_WORST = (TestOutcome.ERROR, TestOutcome.FAILED, TestOutcome.SKIPPED, TestOutcome.PASSED)
_STOPPED = {
    "time": "the checks were stopped when their time was over",
    "memory": "the checks were stopped because they used too much memory",
    "processes": "the checks were stopped because they started too many processes",
    "output": "the checks were stopped because they printed too much",
    "disk": "the checks were stopped because they wrote too much to disk",
    "cancelled": "it gave no sign of life for longer than a test may take",
}


class RoundFacts(Data):
    """How one round ended; see SandboxResult. `root` is where the project lay, `changed` the check
    tests that were not after it what they were before."""

    returncode: int
    stopped_by: str | None = None
    seconds: float = Field(default=0.0, allow_inf_nan=False)
    root: str = ""
    changed: tuple[str, ...] = ()


class RunFacts(Data):
    rounds: tuple[RoundFacts, ...]
    tests: tuple[str, ...] = ()


def read_report(files: Mapping[str, bytes]) -> Report:
    """The Report that the files of `run_checks` add up to; files that are missing or make no
    sense count as if nothing had been said in them.

    Beside the names of Python's exceptions a test may have "Timeout", "Crash" (it ended the
    interpreter), "NotRun" (an earlier one ended the run, or used up its time) and "Changed" (the
    code wrote the check test anew).
    """
    facts = _run_facts(files)
    if facts is None:
        return Report(collected=False, problem="the report does not say how the run ended")
    rounds = [_Round(files, number, fact) for number, fact in enumerate(facts.rounds, start=1)]
    if any(round_.told > _MOST_TESTS for round_ in rounds):
        problem = f"the report tells of more than {_MOST_TESTS} tests"
        return Report(collected=False, problem=problem)
    tests = _merged(result for round_ in rounds for result in round_.results())
    last = rounds[-1] if rounds else None
    if last is not None:
        tests |= {id_: result for id_, result in last.never_run() if id_ not in tests}
    tests |= {id_: result for fact in facts.rounds for id_, result in _changed(fact, tests)}
    collected = any(round_.progress.collected is not None for round_ in rounds)
    root = facts.rounds[0].root if facts.rounds else ""
    return Report(
        tests=tuple(tests.values()),
        coverage=_coverage(rounds),
        spectrum=_spectrum(rounds),
        seconds=round(sum(fact.seconds for fact in facts.rounds), 3),
        collected=collected and bool(tests),
        problem=_problem(rounds, collected, bool(tests)),
        log_tail=steady(_output(files), root)[-_LOG_TAIL:],
    )


def _changed(
    facts: RoundFacts, tests: Mapping[str, TestResult]
) -> Iterator[tuple[str, TestResult]]:
    """What a check test that was written anew says counts as an error."""
    for path in facts.changed:
        ids = [id_ for id_ in tests if id_.partition("::")[0] == path] or [path]
        for id_ in ids:
            yield (
                id_,
                TestResult(
                    id=id_,
                    outcome=TestOutcome.ERROR,
                    exception="Changed",
                    message="the code changed this check test while it ran",
                ),
            )


def _run_facts(files: Mapping[str, bytes]) -> RunFacts | None:
    try:
        return RunFacts.model_validate_json(files.get("run.json", b""))
    except ValidationError:
        return None


class _Round:
    """One round's files, read."""

    def __init__(self, files: Mapping[str, bytes], number: int, facts: RoundFacts) -> None:
        self.facts = facts
        self.progress: Progress = read_progress(files.get(f"{number}/events.jsonl", b""))
        said = re.findall(r"^E\s+(\S.*)", _output(files), re.MULTILINE)
        self.last_error = self._steady(said[-1].strip())[:LONGEST_MESSAGE] if said else ""
        self.cases = _test_cases(files.get(f"{number}/junit.xml", b""))
        self.coverage = files.get(f"{number}/coverage.json", b"")
        self.spectrum = files.get(f"{number}/spectrum.json", b"")

    @property
    def whole(self) -> bool:
        return self.cases is not None

    @property
    def told(self) -> int:
        """How many tests this round tells of, in whichever file tells of most."""
        known = (self.cases, self.progress.collected, self.progress.done, self.progress.failures)
        return max(len(tests or ()) for tests in known)

    def results(self) -> Iterator[TestResult]:
        """What the JUnit XML says; where a crash kept it from being written, the events."""
        if self.cases is not None:
            names = {_junit_name(id_): id_ for id_ in self.progress.failures}
            yield from (self._from_case(case, names) for case in self.cases)
            return
        for id_, phases in self.progress.done.items():
            yield self._from_phases(id_, phases)
        for id_ in self.progress.failures:
            if "::" not in id_:
                yield self._from_phases(id_, Phases(failed=True))
        if self.progress.current is not None:
            yield TestResult(
                id=self.progress.current,
                outcome=TestOutcome.ERROR,
                exception="Timeout" if self.facts.stopped_by in ("time", "cancelled") else "Crash",
                message=self.ending(),
            )

    def never_run(self) -> Iterator[tuple[str, TestResult]]:
        """Tests that were found but whose turn never came."""
        for id_ in self.progress.collected or ():
            yield (
                id_,
                TestResult(
                    id=id_,
                    outcome=TestOutcome.ERROR,
                    exception="NotRun",
                    message="an earlier test ended the whole run",
                ),
            )

    def ending(self) -> str:
        """One clause on how the round ended."""
        if self.facts.stopped_by is not None:
            return _STOPPED.get(self.facts.stopped_by, "the checks were stopped")
        code = self.facts.returncode
        number = code - 128 if code > 128 else -code
        try:
            return f"the interpreter was ended by {signal.Signals(number).name}"
        except ValueError:
            return f"the interpreter ended with exit code {code}"

    def _from_case(self, case: TestCase, names: Mapping[str, str]) -> TestResult:
        outcome, message, detail = _said(case)
        id_ = _test_id(case, names)
        result = TestResult(
            id=self._steady(id_),
            outcome=outcome,
            seconds=round(_seconds(case), 3),
        )
        if outcome is TestOutcome.SKIPPED:
            return result.model_copy(update={"message": _short(self._steady(message))})
        if outcome is TestOutcome.PASSED:
            return result
        failure = self.progress.failures.get(id_) or _guessed(message)
        if detail:
            failure = failure.model_copy(update={"detail": detail})
        return result.model_copy(update=self._told(failure))

    def _from_phases(self, id_: str, phases: Phases) -> TestResult:
        if phases.failed:
            outcome = TestOutcome.FAILED if "::" in id_ else TestOutcome.ERROR
        else:
            outcome = TestOutcome.SKIPPED if phases.skipped else TestOutcome.PASSED
        result = TestResult(id=id_, outcome=outcome, seconds=round(phases.seconds, 3))
        failure = self.progress.failures.get(id_)
        return result.model_copy(update=self._told(failure)) if failure else result

    def _told(self, failure: Failure) -> dict[str, Any]:
        timed_out = failure.exception == "Failed" and failure.message.startswith("Timeout")
        return {
            "exception": "Timeout" if timed_out else failure.exception[:200],
            "message": _short(self._steady(failure.message)),
            "frames": failure.frames,
            "detail": cropped(self._steady(failure.detail), LONGEST_DETAIL),
        }

    def _steady(self, text: str) -> str:
        """Texts are cut first, since what is to be taken out is looked for everywhere."""
        return steady(cropped(text, _LONGEST_RAW), self.facts.root)


def _test_cases(xml: bytes) -> list[TestCase] | None:
    """The test cases of a JUnit XML file; None where it is none. A document type is refused, for
    pytest writes none and entities can be bombs; so is another encoding than pytest's, in which
    one could hide."""
    try:
        text = _DECLARATION.sub("", xml.decode("utf-8"), count=1)
        if not text.strip() or "<!DOCTYPE" in text or "<!ENTITY" in text:
            return None
        document = JUnitXml.fromstring(text)
    except (JUnitXmlError, ElementTree.ParseError, SyntaxError, ValueError):
        return None
    suites = document if isinstance(document, JUnitXml) else [document]
    return [case for suite in suites for case in suite if isinstance(case, TestCase)]


def _seconds(case: TestCase) -> float:
    try:
        return seconds_of(case.time)
    except ValueError:
        return 0.0


def _said(case: TestCase) -> tuple[TestOutcome, str, str]:
    """Outcome, message and text; of several results in one case the worst counts."""
    kinds = {
        Error: TestOutcome.ERROR,
        JUnitFailure: TestOutcome.FAILED,
        Skipped: TestOutcome.SKIPPED,
    }
    found = [
        (kinds[type(r)], r.message or "", r.text or "") for r in case.result if type(r) in kinds
    ]
    return min(found, key=lambda r: _WORST.index(r[0]), default=(TestOutcome.PASSED, "", ""))


def _test_id(case: TestCase, names: Mapping[str, str]) -> str:
    return text_of(_told_id(case, names), LONGEST_ID)


def _told_id(case: TestCase, names: Mapping[str, str]) -> str:
    """pytest's node id: as our plugin noted it, else as the XML's names tell."""
    properties: Iterable[Property] = case.child(Properties) or ()  # type: ignore[no-untyped-call]
    for noted in properties:
        if noted.name == "nodeid" and noted.value:
            return str(noted.value)
    dotted = ".".join(filter(None, (case.classname, case.name)))
    if dotted in names:
        return names[dotted]
    if not case.classname:
        return f"{(case.name or 'unknown').replace('.', '/')}.py"
    return f"{case.classname.replace('.', '/')}.py::{case.name}"


def _junit_name(id_: str) -> str:
    """How pytest's JUnit XML names what has this node id."""
    path, _, rest = id_.partition("::")
    return ".".join([path.replace("/", ".").removesuffix(".py"), *filter(None, rest.split("::"))])


def _guessed(message: str) -> Failure:
    """Exception and message out of the XML alone."""
    match = re.match(r"([A-Za-z_][\w.]*)(?:: (.*))?$", message, re.DOTALL)
    if match is None:
        return Failure(
            exception="AssertionError" if message.startswith("assert") else "", message=message
        )
    return Failure(exception=match[1].rsplit(".", 1)[-1], message=match[2] or "")


def _merged(results: Iterator[TestResult]) -> dict[str, TestResult]:
    """By id, in order; a test that is told of twice (call and teardown) keeps the worse."""
    tests: dict[str, TestResult] = {}
    for result in results:
        known = tests.get(result.id)
        if known is None or _WORST.index(result.outcome) < _WORST.index(known.outcome):
            tests[result.id] = result
    return tests


def _problem(rounds: list[_Round], collected: bool, any_test: bool) -> str:
    if not rounds:
        return "pytest was never started"
    first, last = rounds[0], rounds[-1]
    if not collected:
        return f"pytest could not start: {first.last_error or first.ending()}"
    if not any_test:
        return "no tests were found"
    if not last.whole:
        place = f" in {last.progress.current}" if last.progress.current else ""
        return f"{last.ending()}{place}"
    return ""


def _coverage(rounds: list[_Round]) -> tuple[FileCoverage, ...]:
    """Lines that any round ran, per file."""
    executed: dict[str, set[int]] = {}
    statements: dict[str, int] = {}
    for round_ in rounds:
        for path, covered, count in _covered_files(round_.coverage):
            executed.setdefault(path, set()).update(covered)
            statements[path] = max(count, statements.get(path, 0))
    return tuple(
        FileCoverage(
            path=path, covered=min(len(lines), statements[path]), statements=statements[path]
        )
        for path, lines in sorted(executed.items())
        if statements[path]
    )


def _covered_files(content: bytes) -> Iterator[tuple[str, list[int], int]]:
    """(path, lines run, statements) of coverage.py's JSON report."""
    try:
        files = (json_of(content) or {}).get("files", {})
        for path, told in files.items():
            yield (
                text_of(path, LONGEST_ID),
                [int(line) for line in told["executed_lines"]],
                int(told["summary"]["num_statements"]),
            )
    except (ValueError, AttributeError, KeyError, TypeError, OverflowError):
        return


def _spectrum(rounds: list[_Round]) -> Spectrum:
    """The lines that tests ran, of the first round that tells of them and of no more of them than
    an honest one would."""
    for round_ in rounds:
        try:
            told = Spectrum.model_validate(json_of(round_.spectrum))
        except ValueError:
            continue
        counted = sum(1 + len(lines) for lines in told.lines.values())
        followed = sum(1 + len(lines) for ran in told.failed.values() for lines in ran.values())
        if counted <= _MOST_LINES and followed + len(told.failed) <= _MOST_LINES:
            return _encodable(told)
    return Spectrum()


def _encodable(told: Spectrum) -> Spectrum:
    """The spectrum with names that can be kept."""
    return Spectrum(
        passed=told.passed,
        lines={text_of(path, LONGEST_ID): lines for path, lines in told.lines.items()},
        failed={
            text_of(test, LONGEST_ID): {
                text_of(path, LONGEST_ID): lines for path, lines in ran.items()
            }
            for test, ran in told.failed.items()
        },
    )


def _short(text: str) -> str:
    return "\n".join(text.strip().splitlines()[:_MESSAGE_LINES])[:LONGEST_MESSAGE]


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _output(files: Mapping[str, bytes]) -> str:
    return _text(files.get("output.txt", b"")[-_LONGEST_RAW:])
