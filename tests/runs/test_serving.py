"""A labelled issue becomes a run, over real webhooks, and nothing is lost or doubled."""

import sys
from pathlib import Path

import pytest
from server_town import Town, eventually

from bot.base import Outcome

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import REPLIES

pytestmark = pytest.mark.timeout(300)


def test_a_labelled_issue_becomes_a_green_pull_request(town: Town) -> None:
    town.replies = REPLIES
    place = town.repository()
    with town.server():
        issue = town.open_issue(place, town.ann)
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
    assert town.outcome(place, issue) is Outcome.PASSED
    state = town.run(place, issue)
    assert state is not None
    assert state.best is not None and state.best.passed == 5
    authors = [login for login, _ in town.comments(place, issue.number)]
    assert authors == ["repowright[bot]"]
