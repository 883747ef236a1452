"""Tokens die in the middle of a run, again and again, and nobody notices."""

import sys
from datetime import timedelta
from pathlib import Path

import pytest
from server_town import Town, eventually

from bot.base import Outcome
from bot.forge.embedded.store.events import Event

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import REPLIES

pytestmark = pytest.mark.timeout(300)

HOUR = timedelta(minutes=61)
# What the bot does again and again in a run.
STEPS = ("push", "pull_request_review", "check_run")


@pytest.mark.parametrize("minutes", [10, -10])
def test_an_hour_passes_after_every_step_of_a_run(working_town: Town, minutes: int) -> None:
    """The bot's clock is ten minutes off, too; GitHub's jumps, the bot's does not."""
    town = working_town
    town.replies = REPLIES
    town.clock.move(timedelta(minutes=minutes))
    jumps: list[str] = []

    def jump(event: Event) -> None:
        account = event.actor.account
        if event.name in STEPS and account is not None and account.kind == "Bot":
            jumps.append(event.name)
            town.clock.move(HOUR)

    place = town.repository()
    town.store.bus.subscribe(jump)
    with town.server():
        issue = town.open_issue(place, town.ann, "repowright")
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
        eventually("rest", town.is_idle)
    assert town.outcome(place, issue) is Outcome.PASSED
    assert len(jumps) >= 8
    assert set(jumps) == set(STEPS)
    assert len(town.store.tables.tokens.find(kind="installation")) >= len(jumps) // 2
    state = town.run(place, issue)
    assert state is not None
    reviews = [review.body for review in town.store.tables.reviews.find()]
    assert len(reviews) == len(set(reviews)) == len(state.rounds)
    assert [login for login, _ in town.comments(place, issue.number)] == ["repowright[bot]"]
    assert len(town.branches(place)) == 1
