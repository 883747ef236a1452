"""The judge's tools in a run: counted where they are asked, and missed where they are off."""

import json
from pathlib import Path

from tally_journey import Journey

from bot.config import Settings, Switches
from bot.phases.run import Phase
from bot.runs.summary import summary_of

STRUCTURE = """<structure>
files:
  - path: tally/counting.py
    purpose: Counts words.
    functions: ["count(text: str) -> dict[str, int]", "top(text: str, n: int) -> list[str]"]
</structure>"""
REVIEW = """<review>
- section: prd/speaking
  served_by: []
  missing: Nothing reads texts aloud.
</review>"""
SPEECH = """
## Speaking

The library reads the most frequent words aloud, one after the other, in the voice of a person.
"""


def test_what_the_judge_asks_is_counted_and_shown(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    journey.begin(tally_files)
    state, model, services = journey.go({}, legs=3)
    counted = {(t.tool, t.phase, t.agent): t.calls for t in state.tools}
    assert counted == {
        ("structure-verifier", "architecture", "judge"): 2,
        ("interface-verifier", "architecture", "judge"): 2,
        ("missing-file-detector", "architecture", "judge"): 2,
        ("skeleton-coverage-verifier", "skeleton", "judge"): 2,
    }
    assert model.requests == ()
    assert "8 tool calls" in journey.pull_request().body
    assert "| interface-verifier | architecture | judge | 2 |" in journey.pull_request().body
    summary = json.loads(json.dumps(summary_of(state, services.record.spent())))
    assert {t["calls"] for t in summary["tools"]} == {2}


def test_without_tools_nothing_is_verified_and_the_run_goes_on(
    tmp_path: Path, tally_files: dict[str, bytes]
) -> None:
    journey = Journey(
        tmp_path / "out", Settings(model="claude-opus-4.8", switches=Switches(tools=False))
    )
    tally_files["UML.md"] += b"\n```mermaid\nclassDiagram\nclass Nowhere {\n+go()\n}\n```\n"
    try:
        journey.begin(tally_files)
        state, model, _ = journey.go({}, legs=3)
        reviews = journey.reviews()
        body = journey.pull_request().body
    finally:
        journey.close()
    assert state.phase is Phase.CODE
    assert [(r.verdict, r.faults) for r in state.rounds] == [("unverified", 0), ("unverified", 0)]
    assert model.requests == ()
    assert state.tools == ()
    assert "tool call" not in body
    assert body.count("⚪ unverified") == 2
    for text in reviews:
        assert text.startswith("### ⚪")
        assert "**nothing was verified**" in text
        assert "✅" not in text


def test_without_tools_the_architect_is_asked_once_where_nothing_is_planned(
    tmp_path: Path, tally_files: dict[str, bytes]
) -> None:
    settings = Settings(model="claude-opus-4.8", switches=Switches(tools=False))
    journey = Journey(tmp_path / "out", settings)
    del tally_files["architecture_design.md"], tally_files["UML.md"]
    try:
        journey.begin(tally_files)
        state, model, _ = journey.go({"architecture.1#1": STRUCTURE}, legs=3)
    finally:
        journey.close()
    assert [r.role for r in model.requests] == ["architect"]
    assert state.project.node("tally/counting.py::top") is not None
    assert [r.verdict for r in state.rounds] == ["unverified", "unverified"]


def test_a_file_that_nobody_may_write_is_noted_and_not_asked_for(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    tally_files["architecture_design.md"] += b"\n## `conftest.py`\n\nSettings of the tests.\n"
    journey.begin(tally_files)
    state, model, _ = journey.go({}, legs=3)
    assert [r.verdict for r in state.rounds] == ["pass", "pass"]
    assert model.requests == ()
    assert any("conftest.py" in note for note in state.notes)


def test_packages_that_the_architect_adds_are_said_and_test_tools_refused(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    del tally_files["architecture_design.md"], tally_files["UML.md"]
    tally_files["PRD.md"] += SPEECH.encode()
    added = "requirements: [tabulate, pytest-anything]\n</structure>"
    journey.begin(tally_files)
    replies = {
        "architecture.1#1": STRUCTURE.replace("</structure>", added),
        "architecture.1/judge#1": REVIEW,
    }
    state, _, services = journey.go(replies, legs=2)
    assert state.requirements == ("tabulate",)
    assert services.git.read(state.head)["requirements.txt"] == b"tabulate\n"
    assert any("`pytest-anything`" in note for note in state.notes)
    assert any("no document states: tabulate" in note for note in state.notes)


def test_only_what_the_tools_cannot_match_goes_to_the_model(
    journey: Journey, tally_files: dict[str, bytes]
) -> None:
    del tally_files["architecture_design.md"], tally_files["UML.md"]
    tally_files["PRD.md"] += SPEECH.encode()
    journey.begin(tally_files)
    replies = {"architecture.1#1": STRUCTURE, "architecture.1/judge#1": REVIEW}
    state, model, _ = journey.go(replies, legs=2)
    (question,) = (r.messages[1].content for r in model.requests if r.role == "judge")
    assert '<document name="prd/speaking">' in question
    assert '<document name="prd/counting">' not in question
    assert "Nearest to it by their words: tally/counting.py" in question
    assert [r.verdict for r in state.rounds] == ["revise"]
    assert state.open_points == ("nothing serves `Speaking`: Nothing reads texts aloud.",)
    counted = {(t.tool, t.agent): t.calls for t in state.tools}
    assert counted["documentation-searcher", "judge"] == question.count("<document") == 2
    assert counted["symbol-extractor", "architect"] == 1
