"""Replaying recorded calls, and noticing that prompts have drifted from a recording."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.model.attempt import AttemptFailed
from bot.model.replay import ReplayDrift, ReplayModel
from bot.model.scripted import ScriptedModel
from bot.ports.model import ChatMessage, ModelError, ModelRequest

from .kit import ask, recorded


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    text = "line 1\nline 2\nline 3"
    folder = tmp_path / "recording"
    model = recorded(ScriptedModel({"code.1*": "answer", "fails": AttemptFailed("boom")}), folder)
    model.complete(ask(text=text))
    with pytest.raises(ModelError):
        model.complete(ask("fails"))
    return folder


def test_a_recording_plays_again(recording: Path, tmp_path: Path) -> None:
    replay = ReplayModel.from_folder(recording)
    model = recorded(replay, tmp_path / "again")
    reply = model.complete(ask(text="line 1\nline 2\nline 3"))
    assert (reply.text, reply.seconds) == ("answer", 0.0)
    with pytest.raises(ModelError, match=r"^boom$"):
        model.complete(ask("fails"))
    assert replay.steps == ("code.1/write/pkg/a.py", "fails")
    assert model.ledger.total.usage == recorded(ScriptedModel({}), recording).ledger.total.usage


def test_a_drifted_prompt_is_shown_line_by_line(recording: Path) -> None:
    replay = ReplayModel.from_folder(recording, record_anew="make record EXAMPLE=middle")
    with pytest.raises(ReplayDrift) as caught:
        replay.complete(ask(text="line 1\nline two\nline 3"))
    assert caught.value.sentence == (
        "code.1/write/pkg/a.py: message 2 (user) differs from the recording in line 2:\n"
        "  recorded: line 2\n"
        "  now:      line two\n"
        " (record anew with `make record EXAMPLE=middle`)"
    )


def longer(request: ModelRequest) -> ModelRequest:
    more = ChatMessage(role="assistant", content="hm")
    return request.model_copy(update={"messages": (*request.messages, more)})


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda r: r.model_copy(update={"temperature": 0.8}), "temperature is 0.8, the recorded"),
        (lambda r: r.model_copy(update={"model": "gpt-4o"}), "model is gpt-4o, the recorded one"),
        (lambda r: r.model_copy(update={"max_output": 5}), "max_output is 5, the recorded one"),
        (longer, "the prompt has 3 messages, the recorded one has 2"),
        (
            lambda r: ask(text="line 1\nline 2"),
            r"in line 3:\n  recorded: line 3\n  now:      \(the",
        ),
        (lambda r: r.model_copy(update={"step": "x"}), "the recording has no call for this step"),
    ],
)
def test_every_kind_of_drift_is_named(
    recording: Path, change: Callable[[ModelRequest], ModelRequest], what: str
) -> None:
    request = change(ask(text="line 1\nline 2\nline 3"))
    with pytest.raises(ReplayDrift, match=what):
        ReplayModel.from_folder(recording).complete(request)


def test_an_empty_recording_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        ReplayModel.from_folder(tmp_path)
    assert caught.value.sentence == (
        f"{tmp_path}/calls: there are no recorded calls (record them with `make record`)"
    )


def test_a_call_that_failed_first_replays_its_answer(tmp_path: Path) -> None:
    model = recorded(ScriptedModel({"*": [AttemptFailed("once"), "then"]}), tmp_path)
    with pytest.raises(ModelError):
        model.complete(ask())
    model.complete(ask())
    assert ReplayModel.from_files(model.journal.files()).complete(ask()).text == "then"


def test_the_script_answers_by_step_and_says_when_it_is_used_up() -> None:
    script = ScriptedModel({"a/*": ["1", "2"], "*": lambda r: r.step.upper()})
    assert [script.complete(ask(s)).text for s in ("a/x", "b", "a/y")] == ["1", "B", "2"]
    with pytest.raises(ModelError) as caught:
        script.complete(ask("a/z"))
    assert caught.value.sentence == "a/*: the script's answers are used up"
    assert [r.step for r in script.requests] == ["a/x", "b", "a/y", "a/z"]
    left = ScriptedModel({"a": ["1", "2"]})
    left.complete(ask("a"))
    assert left.unused == {"a": 1}
    with pytest.raises(ModelError, match="b: the script has no answer for this step"):
        left.complete(ask("b"))
