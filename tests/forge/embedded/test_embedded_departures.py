"""Issues that leave, installations that end, read-only repositories: what the API says of them."""

import pytest
from embedded_world import World
from github import GithubException

from bot.forge.embedded.store import Actor


def test_a_transferred_issue_redirects_with_its_comments(world: World) -> None:
    store, by = world.github.store, world.actor
    here = world.seeded.repository
    there = store.repositories.create(world.seeded.maintainer, "other", by)
    issue = store.issues.create(here, by, "Move me", "…", labels=("bug",))
    store.issues.comment(here, issue, by, "Along.")
    moved = store.departures.transfer(here, issue, by, there)
    answer = world.call("GET", f"repos/{here.full_name}/issues/1", allow_redirects=False)
    assert answer.status_code == 301
    assert answer.headers["Location"].endswith(f"/repositories/{there.id}/issues/{moved.number}")
    assert answer.json()["url"] == answer.headers["Location"]
    found = world.repository().get_issue(1)
    assert found.repository.full_name == there.full_name
    assert [label.name for label in found.labels] == ["bug"]
    comments = world.call("GET", f"repos/{here.full_name}/issues/1/comments")
    assert [c["body"] for c in comments.json()] == ["Along."]


def test_who_may_not_look_where_an_issue_went_finds_none(world: World) -> None:
    store, by = world.github.store, world.actor
    here = world.seeded.repository
    there = store.repositories.create(world.seeded.maintainer, "secret", by, private=True)
    issue = store.issues.create(here, by, "Move me", "…")
    store.departures.transfer(here, issue, by, there)
    with pytest.raises(GithubException) as refused:
        world.repository(world.stranger).get_issue(1)
    assert refused.value.status == 404


def test_a_deleted_issue_is_gone(world: World) -> None:
    store, by = world.github.store, world.actor
    issue = store.issues.create(world.seeded.repository, by, "Delete me", "…")
    store.departures.delete(world.seeded.repository, issue, by)
    with pytest.raises(GithubException) as refused:
        world.repository().get_issue(1)
    assert refused.value.status == 410


def test_an_app_may_neither_write_nor_edit_where_it_is_locked(world: World) -> None:
    store, by = world.github.store, world.actor
    issue = store.issues.create(world.seeded.repository, by, "Heated", "…")
    comment = world.repository(world.app).get_issue(1).create_comment("First")
    store.issues.lock(world.seeded.repository, issue, by, None)
    for write in (
        lambda: world.repository(world.app).get_issue(1).create_comment("Second"),
        lambda: comment.edit("Otherwise"),
    ):
        with pytest.raises(GithubException) as refused:
            write()
        assert refused.value.status == 403
        assert "locked" in str(refused.value.data)


def test_what_an_app_lacks_is_told_in_a_header(world: World) -> None:
    store = world.github.store
    issue = store.issues.create(world.seeded.repository, world.actor, "Tell me", "…")
    token = world.app_token()
    store.apps.grant(world.seeded.installation, {"issues": "read"})
    path = f"repos/{world.seeded.repository.full_name}/issues/{issue.number}/lock"
    answer = world.call("PUT", path, token=token)
    assert answer.status_code == 403
    assert answer.headers["X-Accepted-GitHub-Permissions"] == "issues=write"


def test_a_suspended_installation_gets_no_token_until_it_is_let_in_again(world: World) -> None:
    apps, installation = world.github.store.apps, world.seeded.installation
    suspended = apps.suspend(installation)
    with pytest.raises(GithubException) as refused:
        world.integration().get_access_token(installation.id)
    assert refused.value.status == 403
    apps.unsuspend(suspended)
    assert world.integration().get_access_token(installation.id).token


def test_git_says_why_it_takes_no_push(world: World) -> None:
    world.filled()
    assert world.git("clone", "-q", world.remote(), "clone").returncode == 0
    store, here = world.github.store, world.seeded.repository
    store.repositories.edit(
        store.repositories.get(here.id), Actor(world.seeded.maintainer), archived=True
    )
    pushed = world.git("-C", "clone", "push", "origin", "HEAD:refs/heads/more")
    assert pushed.returncode != 0
    assert "archived so it is read-only" in pushed.stderr
