"""No day has more runs than the ceilings allow; who asks for more is told once."""

import sys
from pathlib import Path

import pytest
from server_town import Town, eventually

from bot.base import Outcome
from bot.config import CeilingSettings, Settings
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Issue, Repository
from bot.phases.run import RunState

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import WRONG

pytestmark = pytest.mark.timeout(300)

LABEL = "repowright"
WRITTEN = {"code.*/write/tally/counting.py#1": WRONG}


def limited(town: Town, **ceilings: int) -> None:
    given = CeilingSettings.model_validate(ceilings)
    town.settings = Settings(model="claude-opus-4.8", ceilings=given)
    town.replies = WRITTEN


def test_a_person_who_starts_too_much_is_told_once_and_others_are_not_held_up(town: Town) -> None:
    limited(town, starts_of_person=1)
    place = town.repository()
    with town.server():
        first = town.open_issue(place, town.ann, LABEL)
        eventually("the first run", lambda: town.waits(place, first))
        second = town.open_issue(place, town.ann, LABEL)
        eventually("the answer", lambda: len(town.comments(place, second.number)) == 1)
    with town.server():
        for delivery in town.store.hooks.deliveries(town.hook):
            town.github.webhooks.redeliver(town.hook, delivery)
        eventually("rest", town.is_idle)
        assert town.run(place, second) is None
        said = town.comments(place, second.number)
        assert len(said) == 1
        assert "ann has started 1 runs within a day, and that is the limit." in said[0][1]
        town.say(place, second.number, town.dan, "/repowright run")
        eventually("dan's run", lambda: town.waits(place, second))


def test_what_an_app_says_in_a_persons_name_starts_nothing(town: Town) -> None:
    limited(town)
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann)
        another, _ = town.store.apps.create("helpful", town.ann)
        town.store.issues.comment(place, issue, Actor(town.ann, app=another), "/repowright run")
        eventually("rest", town.is_idle)
        assert town.run(place, issue) is None
        town.say(place, issue.number, town.ann, "thanks\r\n\r\n/repowright run\r\n")
        eventually("the run", lambda: town.waits(place, issue))
    assert [login for login, _ in town.comments(place, issue.number)] == [
        "ann",
        "ann",
        "repowright[bot]",
    ]


def test_a_run_that_is_asked_for_anew_is_a_start_of_who_asks(town: Town) -> None:
    limited(town, starts_of_person=2)
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann, LABEL, body="Build something.")
        eventually("the end", lambda: town.outcome(place, issue) is Outcome.SPEC_REJECTED)
        first = town.run(place, issue)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("a second run", lambda: _is_another(town.run(place, issue), first))
        eventually("its end", lambda: town.outcome(place, issue) is Outcome.SPEC_REJECTED)
        second = town.run(place, issue)
        assert first is not None
        assert second is not None
        assert second.tally.total < len(second.tally.recent)
        town.say(place, issue.number, town.ann, "/repowright run")
        eventually("the answer", lambda: _says(town, place, issue, "ann has started 2 runs"))
        eventually("rest", town.is_idle)
        third = town.run(place, issue)
        assert third is not None
        assert (third.started, third.anew) == (second.started, False)
        town.say(place, issue.number, town.dan, "/repowright run")
        eventually("dan's run", lambda: _is_another(town.run(place, issue), second))
        last = town.run(place, issue)
        assert last is not None
        assert len({first.run_id, second.run_id, last.run_id}) == 3


def _is_another(run: RunState | None, before: RunState | None) -> bool:
    return run is not None and before is not None and run.started != before.started


def _says(town: Town, place: Repository, issue: Issue, text: str) -> bool:
    return any(text in body for _, body in town.comments(place, issue.number))
