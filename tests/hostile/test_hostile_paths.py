"""Paths that somebody who is not a maintainer asks to be written."""

import pytest
from hostile_corpus import Entry, entries, text_of

from bot.agents.allowed import refusal
from bot.config import Settings
from bot.forge.github.paths import check_path
from bot.ports.git import GitError

GIVEN = {"data/words.txt"}
STORE = [p for p in entries("paths") if p.values[0].get("store")]


@pytest.mark.parametrize("entry", entries("paths"))
def test_no_agent_may_write_it(entry: Entry) -> None:
    why = refusal(text_of(entry, "path"), Settings(), GIVEN)
    assert why
    assert len(why) < 500
    assert why.isprintable()


@pytest.mark.parametrize("entry", STORE)
def test_the_git_store_does_not_write_it_for_anybody(entry: Entry) -> None:
    with pytest.raises(GitError) as refused:
        check_path(text_of(entry, "path"))
    assert len(refused.value.sentence) < 500
    assert refused.value.sentence.isprintable()
