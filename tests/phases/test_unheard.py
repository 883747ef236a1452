"""What people see of messages that no code fulfils: in the verdict, in the review, in the code."""

from datetime import UTC, datetime

import pytest

from bot.checks.report import Report, TestOutcome, TestResult
from bot.config import Settings, Switches
from bot.phases.judging import judge_tests
from bot.phases.publish import inline
from bot.phases.run import RunState
from bot.phases.show import faults_table, tools_table
from bot.phases.writing import judge_statically
from bot.spec.folder import spec_from_files
from bot.verify.evidence import Verdict

DIAGRAM = "```mermaid\nsequenceDiagram\nNotes ->> Store: save(text)\nNotes ->> Notes: add()\n```\n"
FILES = {
    "app.py": (
        "class Store:\n    def save(self, text):\n        return text\n\n\n"
        "class Notes:\n    def add(self):\n        return 1\n\n\nNotes().add()\n"
    )
}


def verdict(outcome: str, **switches: bool) -> Verdict:
    state = RunState(
        run_id="r",
        repository="o/r",
        issue=1,
        title="notes",
        branch="b",
        started=datetime(2026, 1, 1, tzinfo=UTC),
        settings=Settings(switches=Switches(**switches)),
        spec_digest="d",
    )
    report = Report(tests=(TestResult(id="t.py::a", outcome=TestOutcome(outcome)),))
    spec = spec_from_files({"UML.md": DIAGRAM.encode()}, "notes", "check_tests")
    return judge_tests(state, spec, FILES, report, judge_statically(state, FILES))


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_they_warn_and_block_nothing(outcome: str) -> None:
    found = verdict(outcome)
    assert found.passed is (outcome == "passed")
    assert [(e.subject, e.verdict) for e in found.evidence if e.rule == "message"] == [
        ("app.py::Notes", "warning")
    ]


def test_the_review_counts_and_shows_them() -> None:
    found = verdict("passed")
    assert "| sequence diagrams | 2 | 0, 1 warning |" in tools_table(found)
    assert "⚠️ | no code of `Notes` (`app.py`) calls `Store.save`" in faults_table(found)
    assert "UML.md:3" in faults_table(found)


def test_the_comment_stands_where_the_call_is_missing() -> None:
    [comment] = inline(verdict("passed").evidence, FILES)
    assert (comment.path, comment.line) == ("app.py", 6)
    assert "as a sequence diagram has it: `save(text)`" in comment.body


@pytest.mark.parametrize("switch", ["messages", "tools"])
def test_they_can_be_switched_off(switch: str) -> None:
    found = verdict("passed", **{switch: False})
    assert "sequence diagrams" not in found.checked
    assert not [e for e in found.evidence if e.rule == "message"]
