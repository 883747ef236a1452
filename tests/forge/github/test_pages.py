"""Lists of the API that are longer than a page, or have no end."""

import pytest
from github_world import World

from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.forge import GitHubForge
from bot.forge.github.scout import GitHubScout
from bot.ports.forge import ForgeError


@pytest.fixture
def client(scripted, reply, world: World) -> GitHubClient:
    """One that has looked at its repository already."""
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, world.token_of("ann"))
    scripted.script = [reply(200, {"url": f"{scripted.url}/api/v3/repos/ann/lamp"})]
    assert client.repository.url
    scripted.seen.clear()
    return client


@pytest.fixture
def scout(client: GitHubClient) -> GitHubScout:
    return GitHubScout(client)


def refs(numbers: range) -> list[dict[str, object]]:
    return [{"ref": f"refs/repowright/{n}", "object": {"sha": f"{n:040}"}} for n in numbers]


def test_a_list_that_comes_whole_is_read_once(scripted, reply, scout: GitHubScout) -> None:
    scripted.script = [reply(200, refs(range(1, 251)))]
    assert len(scout.run_refs()) == 250
    assert len(scripted.seen) == 1


def test_pages_are_read_as_their_links_lead(scripted, reply, scout: GitHubScout) -> None:
    url = f"{scripted.url}/api/v3/repos/ann/lamp/git/matching-refs/repowright/?page=7"
    scripted.script = [
        reply(200, refs(range(1, 3)), {"Link": f'<{url}>; rel="next", <{url}>; rel="last"'}),
        reply(200, refs(range(3, 4)), {"Link": f'<{url}>; rel="last"'}),
    ]
    assert sorted(scout.run_refs()) == [1, 2, 3]
    assert scripted.calls[-1].endswith("page=7")


def test_a_list_without_end_is_an_error(scripted, reply, scout: GitHubScout) -> None:
    url = f"{scripted.url}/api/v3/repos/ann/lamp/git/matching-refs/repowright/?page=1"
    scripted.script = [reply(200, refs(range(1, 2)), {"Link": f'<{url}>; rel="next"'})] * 1100
    with pytest.raises(ForgeError, match="has no end"):
        scout.run_refs()


def test_links_to_another_host_are_not_followed(scripted, reply, scout: GitHubScout) -> None:
    link = {"Link": '<https://evil.example/x>; rel="next"'}
    scripted.script = [reply(200, refs(range(1, 2)), link)]
    with pytest.raises(ForgeError, match="another host"):
        scout.run_refs()
    assert len(scripted.seen) == 1


def test_nor_is_a_conversation_without_end_read_for_ever(
    scripted, reply, client: GitHubClient
) -> None:
    """Pages that hold nothing, each with a link to the next."""
    url = f"{scripted.url}/api/v3/repos/ann/lamp/issues/7"
    issue = {"number": 7, "url": url, "title": "A lamp", "state": "open", "locked": False}
    link = {"Link": f'<{url}/comments?page=1>; rel="next"'}
    scripted.script = [reply(200, {**issue, "labels": []}), *[reply(200, [], link)] * 1100]
    with pytest.raises(ForgeError, match="/issues/7/comments: A list of the GitHub API has no end"):
        GitHubForge(client).issue(7)
