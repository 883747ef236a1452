"""An installation token lives for an hour of GitHub's clock, which need not be ours."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from github_world import Machine, World

from bot.forge.embedded.store.access import Actor
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.downloads import Downloads
from bot.forge.github.pace import Clock
from bot.forge.github.scout import AppReach
from bot.forge.github.transport import TransportSettings
from bot.ports.forge import ForgeError, Unavailable
from bot.ports.git import GitError

HOUR = timedelta(minutes=61)


@pytest.fixture
def skewed(tmp_path: Path) -> Iterator[World]:
    """A world of its own, whose clock is moved."""
    machine = Machine(tmp_path / "github")
    made = World(machine, tmp_path)
    yield made
    made.line.close()
    machine.github.stop()


@pytest.fixture
def app(skewed: World) -> Callable[[str], GitHubClient]:
    """The App on another server, which need not sleep."""

    def connect(url: str) -> GitHubClient:
        settings = GitHubSettings(api_url=url, repository="ann/lamp", seconds_between_writes=0.0)
        return GitHubClient(settings, skewed.app, clock=Clock(sleep=lambda _: None))

    return connect


def mark(number: int) -> str:
    return f"run1:step.{number}"


def test_reads_and_writes_go_on_hour_after_hour(skewed: World) -> None:
    skewed.seed()
    forge, clone = skewed.forge(), skewed.clone()
    issue = skewed.store.issues.create(skewed.lamp, Actor(skewed.ann), "A lamp", "please")
    clone.fetch()
    head = clone.head("main")
    assert head is not None
    for hour in range(3):
        skewed.machine.clock.move(HOUR)
        forge.comment(mark(hour), issue.number, f"Hour {hour}")
        assert not forge.repository().empty
        head = clone.commit(
            "main", parent=head, changes={f"{hour}": b"1"}, message="m", mark=mark(hour)
        )
    said = [c.body.splitlines()[0] for c in skewed.store.issues.comments(issue)]
    assert said == ["Hour 0", "Hour 1", "Hour 2"]
    git = skewed.store.git(skewed.lamp)
    assert len(list(git.log(git.refs()["refs/heads/main"]))) == 4


@pytest.mark.parametrize("step", ["info/refs", "git-upload-pack", "git-receive-pack"])
def test_a_token_that_dies_within_a_git_command_is_replaced(skewed: World, step: str) -> None:
    """A fetch asks for the refs and then for the objects, a push for the refs and then sends."""
    skewed.seed()
    clone = skewed.clone()
    clone.fetch()
    head = clone.head("main")
    assert head is not None
    newer = skewed.work(head)
    minted = skewed.mints
    skewed.an_hour_passes(lambda verb, path: path.partition("?")[0].endswith(step))
    clone.fetch()
    assert clone.head("work") == newer
    made = clone.commit("work", parent=newer, changes={"b": b"1"}, message="m", mark=mark(1))
    git = skewed.store.git(skewed.lamp)
    assert [c.sha for c in git.log(git.refs()["refs/heads/work"])][:2] == [made, newer]
    assert skewed.mints == minted + 1


@pytest.mark.parametrize("minutes", [-10, 10, -90, 90])
def test_clocks_that_differ_do_no_harm(skewed: World, minutes: int) -> None:
    """GitHub takes an App's signature for ten minutes at most, by its own clock."""
    skewed.machine.clock.move(timedelta(minutes=minutes))
    main = skewed.seed()
    forge, clone = skewed.forge(), skewed.clone()
    issue = skewed.store.issues.create(skewed.lamp, Actor(skewed.ann), "A lamp", "please")
    forge.comment(mark(0), issue.number, "before")
    skewed.machine.clock.move(HOUR)
    clone.commit("main", parent=main, changes={"a": b"1"}, message="m", mark=mark(1))
    forge.comment(mark(1), issue.number, "after")
    assert len(skewed.store.issues.comments(issue)) == 2
    reach = AppReach(TransportSettings(api_url=f"{skewed.line.url}/api/v3"), skewed.app)
    assert reach.repositories() == ((f"ann/{skewed.lamp.name}", skewed.app.installation_id),)


def test_a_dead_token_is_replaced_once_for_all_threads(skewed: World) -> None:
    skewed.seed()
    client = skewed.client()
    url = client.repository.url
    assert skewed.mints == 1
    skewed.machine.clock.move(HOUR)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda page: client.get(f"{url}/commits", page=page), range(1, 9)))
    assert [len(page) for page in found] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert skewed.mints == 2


def test_a_download_replaces_a_dead_token(skewed: World) -> None:
    main = skewed.seed()
    skewed.run_workflows()
    forge = skewed.forge()
    forge.dispatch(mark(1), "check.yml", "main")
    run = forge.workflow_run("check.yml", main)
    assert run is not None
    row = skewed.store.actions.run(skewed.lamp, run.id)
    skewed.store.actions.create_artifact(skewed.lamp, row, "report", b"PK-report")
    url = f"{skewed.line.url}/api/v3/repos/ann/{skewed.lamp.name}/actions"
    artifact = skewed.store.actions.artifacts(row)[0]
    client = skewed.client()
    assert client.repository.url
    skewed.machine.clock.move(HOUR)
    assert Downloads(client).archive(f"{url}/artifacts/{artifact.id}/zip") == b"PK-report"


def test_a_fresh_token_that_is_refused_too_is_an_error_and_no_loop(scripted, reply, app) -> None:
    minted = reply(201, {"token": "one", "expires_at": "2100-01-01T00:00:00Z"})
    again = reply(201, {"token": "two", "expires_at": "2100-01-01T00:00:00Z"})
    refusal = reply(401, {"message": "Bad credentials"})
    scripted.script = [minted, refusal, again, refusal]
    client = app(scripted.url)
    with pytest.raises(ForgeError) as caught:
        client.transport.requestJsonAndCheck("POST", "/repos/ann/lamp/issues", input={"a": 1})
    assert caught.value.sentence == (
        "POST /repos/ann/lamp/issues: GitHub refused (401): Bad credentials (a fresh token was "
        "refused too; see whether the App is still installed here)"
    )
    used = [seen.headers["Authorization"] for seen in scripted.seen if "issues" in seen.path]
    assert used == ["token one", "token two"]
    assert len(scripted.seen) == 4


def test_an_app_that_github_does_not_know_signs_twice_at_most(scripted, reply, app) -> None:
    """The first answer tells GitHub's time; where that was not the fault, the second is the end."""
    message = {"message": "A JSON web token could not be decoded"}
    an_hour_later = datetime.now(UTC) + HOUR
    date = {"Date": f"{an_hour_later:%a, %d %b %Y %H:%M:%S} GMT"}
    scripted.script = [reply(401, message, date), reply(401, message, date)]
    with pytest.raises(ForgeError, match=r"check the App's id, its private key and the clock"):
        app(scripted.url).get("/x")
    assert len(scripted.seen) == 2


def test_a_suspended_installation_is_told_as_one(skewed: World) -> None:
    skewed.seed()
    forge, clone = skewed.forge(), skewed.clone()
    forge.repository()
    row = skewed.store.apps.installation(skewed.app.installation_id)
    assert row is not None
    skewed.store.tables.installations.update(row, suspended_at=datetime.now(UTC))
    for bot in (forge, skewed.forge()):
        with pytest.raises(Unavailable) as caught:
            bot.repository()
        assert caught.value.bar == "suspended"
    with pytest.raises((Unavailable, GitError)):
        clone.fetch()
    skewed.store.tables.installations.update(row, suspended_at=None)
    assert not forge.repository().empty


def test_an_app_that_was_removed_is_told_as_such(skewed: World) -> None:
    """Its token dies at once, and there is no other one."""
    forge, clone = skewed.forge(), skewed.clone()
    forge.repository()
    row = skewed.store.apps.installation(skewed.app.installation_id)
    assert row is not None
    skewed.store.apps.uninstall(row)
    for ask in (forge.repository, clone.fetch):
        with pytest.raises(Unavailable, match="not installed here any more") as caught:
            ask()
        assert caught.value.bar == "uninstalled"
