"""GitHub's rules about issues and comments."""

import pytest
from embedded_world import World
from github import GithubException, UnknownObjectException

FULL = 65_536


def test_a_body_at_the_limit_is_kept_and_one_beyond_changes_nothing(world: World) -> None:
    repository = world.repository()
    issue = repository.create_issue("Long", "x" * FULL)
    assert len(issue.body) == FULL
    for refused in (
        lambda: repository.create_issue("Longer", "x" * (FULL + 1)),
        lambda: issue.create_comment("x" * (FULL + 1)),
        lambda: issue.edit(body="x" * (FULL + 1)),
    ):
        with pytest.raises(GithubException) as error:
            refused()
        assert error.value.status == 422
        assert "maximum is 65536 characters" in str(error.value.data)
    assert [i.title for i in repository.get_issues()] == ["Long"]
    assert issue.get_comments().totalCount == 0


def test_crlf_stays_as_it_came(world: World) -> None:
    issue = world.repository().create_issue("Lines", "one\r\ntwo\r\n")
    comment = issue.create_comment("three\r\nfour")
    assert world.repository().get_issue(issue.number).body == "one\r\ntwo\r\n"
    assert (
        world.repository().get_issue(issue.number).get_comment(comment.id).body == "three\r\nfour"
    )


def test_a_locked_issue_takes_comments_from_people_who_may_write_only(world: World) -> None:
    issue = world.repository().create_issue("Heated", "…")
    issue.lock("resolved")
    for client in (world.stranger, world.app):
        with pytest.raises(GithubException) as error:
            world.repository(client).get_issue(issue.number).create_comment("but")
        assert error.value.status == 403
        assert error.value.data["message"] == "Unable to create comment because issue is locked."
    assert issue.create_comment("The end.").body == "The end."
    issue.unlock()
    assert world.repository(world.app).get_issue(issue.number).create_comment("ok").id


def test_comments_are_edited_and_deleted_by_author_or_writer_only(world: World) -> None:
    issue = world.repository().create_issue("Talk", "")
    comment = world.repository(world.stranger).get_issue(issue.number).create_comment("mine")
    comment.edit("mine, better")
    ours = issue.create_comment("ours")
    with pytest.raises(GithubException) as error:
        world.repository(world.stranger).get_issue(issue.number).get_comment(ours.id).edit("taken")
    assert error.value.status == 403
    issue.get_comment(comment.id).delete()
    with pytest.raises(UnknownObjectException):
        issue.get_comment(comment.id)


def test_permission_levels_as_the_endpoint_tells_them(world: World) -> None:
    repository = world.repository()
    assert repository.get_collaborator_permission("maintainer") == "admin"
    assert repository.get_collaborator_permission("stranger") == "read"
    repository.add_to_collaborators("stranger", "push")
    assert repository.get_collaborator_permission("stranger") == "write"
    repository.edit(private=True)
    repository.remove_from_collaborators("stranger")
    assert repository.get_collaborator_permission("stranger") == "none"
    with pytest.raises(UnknownObjectException):
        world.repository(world.stranger)


def test_strangers_open_issues_but_do_not_label_or_close_those_of_others(world: World) -> None:
    theirs = world.repository(world.stranger).create_issue("Idea", "please", labels=["bug"])
    assert theirs.labels == []
    assert theirs.raw_data["author_association"] == "NONE"
    ours = world.repository().create_issue("Plan", "…")
    with pytest.raises(GithubException) as error:
        world.repository(world.stranger).get_issue(ours.number).edit(state="closed")
    assert error.value.status == 403
    theirs.edit(state="closed")
    assert world.repository().get_issue(theirs.number).state == "closed"


def test_reactions_labels_and_timeline(world: World) -> None:
    repository = world.repository()
    issue = repository.create_issue("Busy", "")
    issue.add_to_labels("repowright", "bug")
    issue.remove_from_labels("bug")
    issue.edit(title="Busier", state="closed", state_reason="not_planned")
    comment = issue.create_comment("hello")
    assert comment.create_reaction("eyes").content == "eyes"
    comment.create_reaction("eyes")
    assert [r.content for r in comment.get_reactions()] == ["eyes"]
    assert [e.event for e in issue.get_events()] == [
        "labeled",
        "labeled",
        "unlabeled",
        "renamed",
        "closed",
    ]
    again = repository.get_issue(issue.number)
    assert (again.title, again.state, again.state_reason) == ("Busier", "closed", "not_planned")
    assert [label.name for label in again.labels] == ["repowright"]


def test_search_finds_by_marker_kind_and_label(world: World) -> None:
    repository = world.filled()
    repository.create_issue("One", "<!-- repowright:run-7 -->", labels=["repowright"])
    repository.create_issue("Two", "nothing")
    repository.create_pull(title="Three", body="run-7", head="work", base="main")
    client = world.client()

    def titles(query: str) -> list[str]:
        return [i.title for i in client.search_issues(f"repo:{repository.full_name} {query}")]

    assert titles('"repowright:run-7" in:body') == ["One"]
    assert titles("is:pr run-7") == ["Three"]
    assert titles("label:repowright is:open") == ["One"]
    assert titles("-label:repowright is:issue") == ["Two"]


def test_a_renamed_repository_is_followed_by_api_and_git(world: World) -> None:
    repository = world.filled()
    issue = repository.create_issue("Before", "…")
    repository.edit(name="renamed")
    moved = world.call("GET", "repos/maintainer/project", allow_redirects=False)
    assert moved.status_code == 301
    assert moved.json()["message"] == "Moved Permanently"
    assert world.client().get_repo("maintainer/project").full_name == "maintainer/renamed"
    posted = world.call(
        "POST", f"repos/maintainer/project/issues/{issue.number}/comments",
        json={"body": "after"}, allow_redirects=False,
    )  # fmt: skip
    assert posted.status_code == 307
    assert world.git("clone", "-q", world.remote(), "old-name").returncode == 0
    world.client().get_user().create_repo("project")
    assert world.client().get_repo("maintainer/project").full_name == "maintainer/project"


def test_deleted_and_transferred_repositories(world: World) -> None:
    world.github.store.accounts.create_organization("guild", world.seeded.maintainer)
    world.call("POST", "repos/maintainer/project/transfer", json={"new_owner": "guild"})
    assert world.client().get_repo("maintainer/project").full_name == "guild/project"
    world.client().get_repo("guild/project").delete()
    with pytest.raises(UnknownObjectException):
        world.client().get_repo("guild/project")
