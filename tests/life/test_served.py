"""What the server makes of deliveries that tell what happens: rest, go on, say why."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from life_world import WRITTEN
from server_town import Town, eventually

from bot.base import Outcome
from bot.forge.embedded.seed import APP_PERMISSIONS
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.rows import Issue, Repository
from bot.runs.database import open_database
from bot.runs.index import SqlRunIndex
from bot.runs.start import run_ref

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path)
    made.replies = dict(WRITTEN)
    yield made
    made.close()


def started(town: Town, place: Repository) -> Issue:
    """A labelled issue whose run waits for its check tests."""
    issue = town.open_issue(place, town.ann, "repowright")
    eventually("the wait for tests", lambda: town.waits(place, issue))
    eventually("all read", town.is_idle)
    return issue


def waits_for(town: Town) -> list[str]:
    """What the index says of each run, by repository and issue."""
    engine = open_database(town.server_settings().database_address)
    lines = sorted(SqlRunIndex(engine).lines(), key=lambda line: (line.repository, line.issue))
    engine.dispose()
    return [line.waits_for for line in lines]


def close(town: Town, place: Repository, issue: Issue) -> None:
    now = town.store.issues.get(issue.id)
    town.store.issues.edit(
        town.store.repositories.get(place.id), now, Actor(town.ann), state="closed"
    )


def ends(town: Town, place: Repository, issue: Issue) -> None:
    eventually("the end", lambda: town.outcome(place, issue) is Outcome.CANCELLED)


def test_archived_suspended_and_without_permission_a_run_rests_and_goes_on(town: Town) -> None:
    place = town.repository()
    ann = Actor(town.ann)
    with town.server(poll_seconds=300):
        issue = started(town, place)
        eventually("the index", lambda: waits_for(town) == ["check"])
        town.store.repositories.edit(place, ann, archived=True)
        eventually("rest", lambda: waits_for(town) == ["archived"])
        town.store.repositories.edit(town.store.repositories.get(place.id), ann, archived=False)
        eventually("going on", lambda: waits_for(town) == ["check"])

        suspended = town.store.apps.suspend(town.installation)
        eventually("rest", lambda: waits_for(town) == ["suspended"])
        town.store.apps.unsuspend(suspended)
        eventually("going on", lambda: waits_for(town) == ["check"])

        left = {**APP_PERMISSIONS, "contents": "read"}
        town.store.apps.grant(town.store.apps.installations(town.app)[0], left)
        close(town, place, issue)
        eventually("rest", lambda: waits_for(town) == ["forbidden"])
        eventually("a word", lambda: "may not do what the run needs" in said(town, place, issue))
        assert town.outcome(place, issue) is None
        town.store.apps.grant(town.store.apps.installations(town.app)[0], APP_PERMISSIONS)
        ends(town, place, issue)
        assert said(town, place, issue).count("may not do what the run needs") == 1


def test_a_run_goes_on_under_its_repositorys_new_name(town: Town) -> None:
    place = town.repository()
    with town.server(poll_seconds=300):
        issue = started(town, place)
        renamed = town.store.repositories.edit(place, Actor(town.ann), name="better")
        close(town, place, issue)
        ends(town, renamed, issue)
    state = town.run(renamed, issue)
    assert state is not None
    assert state.repository == "ann/better"
    assert len(town.comments(renamed, issue.number)) == 1


def test_a_run_whose_ref_is_lost_or_spoiled_is_said_and_not_begun_again(town: Town) -> None:
    place = town.repository()
    with town.server(poll_seconds=300):
        lost, spoiled = started(town, place), started(town, place)
    git = town.store.git(place)
    before = town.run(place, lost)
    git.delete_ref(run_ref(lost.number))
    ref = run_ref(spoiled.number)
    git.update_ref(ref, git.refs()["refs/heads/main"], git.resolve(ref))
    with town.server(poll_seconds=300):
        town.say(place, spoiled.number, town.ann, "/repowright retry")
        eventually("both told", lambda: told(town, place, lost) and told(town, place, spoiled))
        assert len(town.branches(place)) == 2
        town.say(place, lost.number, town.ann, "/repowright run")
        eventually("a new run", lambda: town.waits(place, lost))
    assert len(town.branches(place)) == 3
    after = town.run(place, lost)
    assert before is not None
    assert after is not None
    assert after.run_id != before.run_id


def told(town: Town, place: Repository, issue: Issue) -> bool:
    text = said(town, place, issue)
    return f"`{run_ref(issue.number)}` is gone" in text or "no run that the bot can read" in text


def said(town: Town, place: Repository, issue: Issue) -> str:
    return "\n".join(text for _, text in town.comments(place, issue.number))
