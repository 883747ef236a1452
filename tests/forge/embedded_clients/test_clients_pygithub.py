"""What PyGithub can do over GraphQL alone, against the embedded GitHub."""

from pathlib import Path

import pytest
from clients_people import Person, commit_all
from github import Auth, Github, GithubException, UnknownObjectException
from github.PullRequest import PullRequest

from bot.forge.embedded.server import EmbeddedGitHub


@pytest.fixture
def pull(github: EmbeddedGitHub, octavia: Person, project: Path) -> PullRequest:
    octavia.git("switch", "-q", "-c", "more", cwd=project)
    (project / "more.py").write_text("MORE = 1\n")
    commit_all(octavia, project, "Add more")
    octavia.git("push", "-q", "origin", "more", cwd=project)
    client = Github(base_url=github.api_url, auth=Auth.Token(octavia.token))
    return client.get_repo("octavia/demo").create_pull(
        base="main", head="more", title="More", draft=True
    )


def test_out_of_draft_and_back(pull: PullRequest) -> None:
    pull.mark_ready_for_review()
    assert pull.draft is False
    pull.update()
    assert pull.draft is False
    pull.convert_to_draft()
    pull.update()
    assert pull.draft is True


def test_a_closed_pull_request_stays_as_it_is(pull: PullRequest) -> None:
    pull.edit(state="closed")
    with pytest.raises(GithubException, match="Pull request is closed"):
        pull.mark_ready_for_review()


def test_automatic_merging_is_refused_with_a_reason(pull: PullRequest) -> None:
    with pytest.raises(GithubException, match="doesn't exist on type 'Mutation'"):
        pull.enable_automerge()


def test_who_may_not_write_may_not_ready(
    github: EmbeddedGitHub, rufus: Person, pull: PullRequest
) -> None:
    client = Github(base_url=github.api_url, auth=Auth.Token(rufus.token))
    theirs = client.get_repo("octavia/demo").get_pull(pull.number)
    with pytest.raises(GithubException, match="rufus does not have the correct permissions"):
        theirs.mark_ready_for_review()


def test_what_is_hidden_does_not_exist(
    github: EmbeddedGitHub, rufus: Person, pull: PullRequest
) -> None:
    repository = github.store.repositories.find("octavia", "demo")
    assert repository is not None
    github.store.tables.repositories.update(repository, private=True)
    client = Github(base_url=github.api_url, auth=Auth.Token(rufus.token))
    with pytest.raises(UnknownObjectException, match="Could not resolve to a node"):
        client.requester.graphql_node(pull.raw_data["node_id"], "title", "PullRequest")
