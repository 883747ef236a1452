"""What a server learns in one repository helps in the others, but for one that keeps to itself."""

import sys
from pathlib import Path

import pytest
from server_town import Town, eventually
from typer.testing import CliRunner

from bot.base import Outcome, RepowrightError
from bot.experience.commands import experience as app
from bot.phases.run import Learning

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import REPLIES

pytestmark = pytest.mark.timeout(300)

LABEL = "repowright"


def experience(*arguments: object) -> str:
    said = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    assert said.exit_code == 0, said.output
    return said.stdout


def repaired(town: Town, name: str) -> tuple[Learning, ...]:
    """What experience did in a run in a new repository."""
    place = town.repository(name)
    issue = town.open_issue(place, town.ann, LABEL)
    eventually(f"the end of {name}", lambda: town.outcome(place, issue) is not None)
    assert town.outcome(place, issue) is Outcome.PASSED
    state = town.run(place, issue)
    assert state is not None
    return state.experiences


def test_repositories_teach_each_other_but_for_one_that_does_not_share(
    working_town: Town,
) -> None:
    town = working_town
    town.replies = REPLIES
    store = town.folder / "bot" / "experience.sqlite"
    alone = ("ann/alone", "--off", "--installation", town.installation.id, "--store", store)
    with town.server():
        experience("sharing", *alone)
        (first,) = repaired(town, "first")
        (apart,) = repaired(town, "alone")
        (second,) = repaired(town, "second")
    assert first.taught and apart.taught
    assert (first.given, apart.given) == ((), ())
    assert set(second.given) <= set(first.taught)
    assert second.given
    said = experience("list", "--store", store)
    assert "runs: 3\n" in said and "repairs: 3\n" in said and "advised: 0.3333\n" in said
    assert "improved: 1.0\n" in said


def test_a_server_with_experience_off_keeps_none(working_town: Town) -> None:
    town = working_town
    town.replies = REPLIES
    with town.server(experience=False):
        assert repaired(town, "first") == ()
    assert not (town.folder / "bot" / "experience.sqlite").exists()


def test_a_store_that_cannot_be_used_is_told_before_the_server_starts(town: Town) -> None:
    (town.folder / "store").write_text("no database, and no SQLite file at all " * 40)
    with pytest.raises(RepowrightError, match="the experience store cannot be used") as caught:
        town.server(experience=str(town.folder / "store"))
    assert caught.value.hint
