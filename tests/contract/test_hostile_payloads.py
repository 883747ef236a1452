"""Payloads that GitHub would never send are survived all the same."""

import pytest
from hostile_payloads import MATTER, TEXTS, broken, cases, slim
from published import Example, first

from bot.config import Settings
from bot.runs.events import Ignored, event_of

SETTINGS = Settings(label="bug")


def survives(event: str, body: bytes) -> None:
    """It is an event or is ignored, and what is kept of it can be kept in any database."""
    found = event_of({"x-github-event": event}, body, SETTINGS)
    kept = found.why if isinstance(found, Ignored) else found.model_dump_json()
    assert kept
    assert kept.encode().decode() == kept
    assert "\x00" not in kept
    assert "\\u0000" not in kept


def test_a_wrong_value_at_every_place_is_survived(examples: list[Example]) -> None:
    """Deep where the example is an event, else where its action and place are read."""
    seen = 0
    for example in cases(examples):
        heard = not isinstance(
            event_of({"x-github-event": example.event}, example.body, SETTINGS), Ignored
        )
        for body in broken(slim(example.payload), 4 if heard else 2):
            survives(example.event, body)
            seen += 1
    assert seen > 20_000


@pytest.mark.parametrize("event", MATTER)
def test_what_is_no_payload_is_survived(event: str) -> None:
    for text in TEXTS:
        survives(event, text)


def test_a_payload_cut_off_anywhere_is_survived(examples: list[Example]) -> None:
    for example in cases(examples):
        body = example.body
        for end in range(0, len(body), max(len(body) // 40, 1)):
            survives(example.event, body[:end])


def test_of_two_equal_keys_one_counts(examples: list[Example]) -> None:
    """The last one, as in every reader of JSON that anybody uses with GitHub; never a mix."""
    example = first(examples, "issues", "labeled")
    body = example.body
    twice = body[:-1] + b', "repository": {"full_name": "Eve/Other"}}'
    found = event_of({"x-github-event": "issues"}, twice, SETTINGS)
    assert not isinstance(found, Ignored)
    assert found.repository == "Eve/Other"
