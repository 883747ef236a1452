"""Lists of the API that are longer than a page, or have no end."""

import pytest
from github_world import World

from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.scout import GitHubScout
from bot.ports.forge import ForgeError


@pytest.fixture
def scout(scripted, reply, world: World) -> GitHubScout:
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    client = GitHubClient(settings, world.token_of("ann"))
    scripted.script = [reply(200, {"url": f"{scripted.url}/api/v3/repos/ann/lamp"})]
    assert client.repository.url
    scripted.seen.clear()
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
