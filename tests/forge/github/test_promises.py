"""Answers that are not what GitHub's documentation promises end in one sentence."""

from datetime import UTC, datetime
from typing import Any

import pytest
from github_world import World
from pydantic import SecretStr

from bot.base import RepowrightError
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.forge.github.forge import GitHubForge
from bot.forge.github.scout import GitHubScout
from bot.ports.forge import ForgeError, Transient

PROMISE = "The answer of the GitHub API is not as its documentation promises"


@pytest.fixture
def client(scripted, reply) -> GitHubClient:
    """One that has looked at its repository already."""
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    made = GitHubClient(settings, GivenToken(token=SecretStr("t")))
    scripted.script = [reply(200, {"url": f"{scripted.url}/api/v3/repos/ann/lamp"})]
    assert made.repository.url
    return made


def issue(base: str, **lies: Any) -> dict[str, Any]:
    told = {
        "number": 7,
        "url": f"{base}/api/v3/repos/ann/lamp/issues/7",
        "html_url": f"{base}/ann/lamp/issues/7",
        "title": "A lamp",
        "body": "please",
        "user": {"login": "ann", "type": "User"},
        "state": "open",
        "locked": False,
        "labels": [],
        **lies,
    }
    return {name: value for name, value in told.items() if value is not ...}


@pytest.mark.parametrize(
    "lies",
    [
        {"number": "seven"},
        {"title": None},
        {"title": ["A lamp"]},
        {"locked": "no"},
        {"labels": "spec"},
        {"labels": [{"name": 5}]},
        {"user": 5},
        {"user": {"login": None}},
        {"html_url": 1},
        {"url": ..., "title": ...},
    ],
)
def test_a_field_that_is_something_else_names_the_request(
    scripted, reply, client: GitHubClient, lies: dict[str, Any]
) -> None:
    told = issue(scripted.url, **lies)
    scripted.script = [reply(200, told), *[reply(200, told if "title" in lies else [])] * 2]
    with pytest.raises(ForgeError) as caught:
        GitHubForge(client).issue(7)
    where = r"GET (/api/v3)?/repos/ann/lamp/issues/7(/comments)?"
    assert caught.match(f"^{where}: {PROMISE} ")
    assert not isinstance(caught.value, Transient)


@pytest.mark.parametrize(
    "lies", [{"created_at": "yesterday"}, {"id": "one"}, {"user": {"login": 5}}, 5, "text"]
)
def test_so_does_an_item_of_a_list(scripted, reply, client: GitHubClient, lies: Any) -> None:
    comment = {"id": 1, "body": "hello", "user": {"login": "ann", "type": "User"}}
    item = {**comment, **lies} if isinstance(lies, dict) else lies
    scripted.script = [reply(200, issue(scripted.url)), reply(200, [item])]
    with pytest.raises(ForgeError, match=f"/issues/7/comments: {PROMISE}"):
        GitHubForge(client).issue(7)


@pytest.mark.parametrize("page", [{"message": "?"}, [5], [{"number": "x"}], [{"number": None}]])
def test_the_scout_is_told_so_too(scripted, reply, client: GitHubClient, page: Any) -> None:
    scripted.script = [reply(200, page)]
    with pytest.raises(ForgeError, match=f"^GET /api/v3/repos/ann/lamp/issues: {PROMISE}"):
        GitHubScout(client).labelled("spec")
    scripted.script = [reply(200, page)]
    with pytest.raises(ForgeError, match=f"/issues/comments: {PROMISE}"):
        GitHubScout(client).sayings(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("minted", [{}, {"token": "t"}, {"token": "t", "expires_at": "soon"}, []])
def test_a_token_that_is_none_is_told(scripted, reply, world: World, minted: Any) -> None:
    settings = GitHubSettings(api_url=f"{scripted.url}/api/v3", repository="ann/lamp")
    scripted.script = [reply(201, minted)]
    with pytest.raises(ForgeError, match="/access_tokens: GitHub gave no installation token"):
        GitHubClient(settings, world.app).get("/x")


def test_half_an_answer_may_be_whole_the_next_time(scripted, reply, client: GitHubClient) -> None:
    scripted.script = [reply(200, body=b'{"number": 7,')]
    with pytest.raises(Transient, match="cannot be read"):
        GitHubForge(client).issue(7)


def test_what_the_bot_got_wrong_itself_is_none_of_that(client: GitHubClient) -> None:
    with pytest.raises(RepowrightError, match="is not the name of a workflow file"):
        GitHubForge(client).workflow_run("../x", "0" * 40)
