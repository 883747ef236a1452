"""Sequence diagrams: who calls what, through blocks, notes and activations."""

import pytest

from bot.spec.mermaid.diagrams import Diagrams
from bot.spec.model import Message

from .kit import corpus_diagrams, mermaid


@pytest.fixture(scope="module")
def found() -> Diagrams:
    return corpus_diagrams("sequences.md")


def message(found: Diagrams, text: str) -> Message:
    return next(m for m in found.sequences[0].messages if m.text == text)


def test_participants_and_their_titles(found: Diagrams) -> None:
    titles = {p.name: p.title for p in found.sequences[0].participants}
    assert titles == {
        "Skipper": "Skipper",
        "CLI": "CLI (cli.py)",
        "Decorator": "logged()",
        "H": "Harbour",
        "Tide": "Tide",
    }
    assert [p.name for p in found.sequences[0].participants if p.actor] == ["Skipper"]


@pytest.mark.parametrize(
    ("text", "method", "arguments"),
    [
        ("moor(ship, berth=pick(3))", "moor", "ship, berth=pick(3)"),
        ("(func, level)", "logged", "func, level"),
        ("Tide(day)", "Tide", "day"),
        ("result = sound_horn()", "sound_horn", ""),
        ("log.write(entry)\nand flush", "write", "entry"),
        ("wait for water", None, None),
        ("return (a, b)", None, None),
        ("check tide (twice)", None, None),
        ("ferry sail --now", None, None),
    ],
)
def test_calls_are_told_from_prose(
    found: Diagrams, text: str, method: str | None, arguments: str | None
) -> None:
    said = message(found, text)
    assert (said.method, said.arguments) == (method, arguments)


def test_dashed_arrows_are_replies(found: Diagrams) -> None:
    replies = [m.text for m in found.sequences[0].messages if m.reply]
    assert replies == ["berth", "levels", "no answer"]


def test_a_message_knows_its_place(found: Diagrams) -> None:
    place = message(found, "Tide(day)").location
    assert (place.file, place.line, place.column) == ("sequences.md", 19, 9)


def test_an_unbalanced_deactivation_is_a_note(found: Diagrams) -> None:
    (note,) = [p for p in found.problems if p.code == "activation-unbalanced"]
    assert note.message == "CLI is deactivated here without having been activated."
    assert (note.severity, note.location.line) == ("note", 29)


def test_a_bad_line_loses_only_itself(found: Diagrams) -> None:
    (problem,) = [p for p in found.problems if p.severity == "warning"]
    assert problem.message == (
        "This line of a sequence diagram cannot be understood: somewhere else"
    )
    assert (problem.location.line, problem.location.column) == (33, 5)
    assert len(found.sequences[0].messages) == 12


def test_an_open_block_is_reported_where_it_opens() -> None:
    found = mermaid("sequenceDiagram", "A->>B: go()", "loop for ever", "B-->>A: gone")
    (problem,) = found.problems
    assert problem.message == "The loop opened here is never closed."
    assert problem.hint == "Add the missing end."
    assert (problem.location.line, problem.location.column) == (4, 1)


@pytest.mark.parametrize("arrow", ["->", "-->", "->>", "-->>", "-x", "--x", "-)", "--)", "<<->>"])
def test_every_arrow_is_a_message(arrow: str) -> None:
    found = mermaid("sequenceDiagram", f"my-client {arrow} my-server: ping()")
    (said,) = found.sequences[0].messages
    assert (said.source, said.target, said.method) == ("my-client", "my-server", "ping")
    assert found.problems == ()
