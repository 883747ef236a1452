"""What every answer of the API has in common: limits, pages, ETags, errors."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import requests
from embedded_world import World
from github import GithubException, RateLimitExceededException

from bot.base import RepowrightError
from bot.forge.embedded.server import EmbeddedGitHub


def test_the_primary_limit_ends_and_begins_again(limited: World) -> None:
    first = limited.call("GET", "repos/maintainer/project")
    assert first.headers["X-RateLimit-Limit"] == "40"
    assert first.headers["X-RateLimit-Remaining"] == "39"
    for _ in range(39):
        limited.call("GET", "repos/maintainer/project")
    client = limited.client()
    with pytest.raises(RateLimitExceededException) as error:
        client.get_repo("maintainer/project")
    assert error.value.headers["x-ratelimit-remaining"] == "0"
    reset = int(error.value.headers["x-ratelimit-reset"])
    assert reset > limited.clock().timestamp()
    assert client.get_rate_limit().rate.remaining == 0
    assert limited.stranger.get_repo("maintainer/project").name == "project"
    limited.clock.advance(minutes=61)
    assert client.get_repo("maintainer/project").name == "project"


def test_the_secondary_limits_say_when_to_come_back(limited: World) -> None:
    path = "repos/maintainer/project/issues"
    for number in range(5):
        assert limited.call("POST", path, json={"title": f"{number}"}).status_code == 201
    refused = limited.call("POST", path, json={"title": "6"})
    assert refused.status_code == 403
    assert "secondary rate limit" in refused.json()["message"]
    wait = int(refused.headers["Retry-After"])
    assert 0 < wait <= 61
    assert limited.call("GET", path).status_code == 200
    limited.clock.advance(seconds=wait)
    for number in range(3):
        assert limited.call("POST", path, json={"title": f"more {number}"}).status_code == 201
    hourly = limited.call("POST", path, json={"title": "9"})
    assert int(hourly.headers["Retry-After"]) > 3_000
    assert len(limited.call("GET", path).json()) == 8


def test_lists_come_in_pages_with_links(world: World) -> None:
    repository = world.repository()
    store = world.github.store
    issue = store.issues.create(world.seeded.repository, world.actor, "Talk")
    for number in range(65):
        store.issues.comment(world.seeded.repository, issue, world.actor, f"say {number}")
    bodies = [c.body for c in repository.get_issue(issue.number).get_comments()]
    assert bodies == [f"say {number}" for number in range(65)]
    path = f"repos/maintainer/project/issues/{issue.number}/comments"
    first = world.call("GET", f"{path}?per_page=30&page=1")
    assert set(first.links) == {"next", "last"}
    last = requests.get(
        first.links["last"]["url"],
        headers={"Authorization": f"token {world.seeded.token}"},
        timeout=30,
    )
    assert (len(last.json()), set(last.links)) == (5, {"prev", "first"})
    assert len(world.call("GET", f"{path}?per_page=1000").json()) == 65


def test_an_unchanged_answer_is_a_304_and_costs_nothing(world: World) -> None:
    path = "repos/maintainer/project"
    first = world.call("GET", path)
    tag = first.headers["ETag"]
    again = world.call("GET", path, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["X-RateLimit-Remaining"] == first.headers["X-RateLimit-Remaining"]
    world.repository().edit(description="New")
    assert world.call("GET", path, headers={"If-None-Match": tag}).status_code == 200


def test_errors_have_githubs_shape(world: World) -> None:
    missing = world.call("GET", "repos/maintainer/nothing")
    assert missing.status_code == 404
    assert missing.json()["message"] == "Not Found"
    assert missing.json()["status"] == "404"
    assert missing.json()["documentation_url"].startswith("https://docs.github.com/")
    assert world.call("GET", "no/such/address").json()["message"] == "Not Found"
    path = "repos/maintainer/project/issues"
    assert world.call("POST", path, data="{").json()["message"] == "Problems parsing JSON"
    untitled = world.call("POST", path, json={"body": "x"})
    assert untitled.status_code == 422
    assert '"title" wasn\'t supplied' in untitled.json()["message"]
    wrong = world.call("POST", path, json={"title": "t", "body": 5})
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "contents/a%00b",
        "git/ref/heads/a%00b",
        "commits/-x",
        "commits/HEAD%5E%7B%2F(",
        "actions/workflows/99999999999999999999",
        "issues?since=tomorrow",
        "contents/..%2F..%2Fetc%2Fpasswd",
    ],
)
def test_strange_addresses_are_the_callers_mistake(world: World, path: str) -> None:
    world.filled()
    answer = world.call("GET", f"repos/maintainer/project/{path}")
    assert 400 <= answer.status_code < 500
    assert answer.json()["message"]


def test_a_taken_name_is_refused(world: World) -> None:
    with pytest.raises(GithubException) as error:
        world.client().get_user().create_repo("Project")
    assert error.value.status == 422
    assert "name already exists on this account" in str(error.value.data)


def test_a_port_in_use_is_one_clear_sentence(world: World) -> None:
    with pytest.raises(RepowrightError) as error:
        EmbeddedGitHub(world.folder / "second", port=world.github.port)
    assert error.value.what == f"port {world.github.port} is in use"
    assert error.value.where == f"127.0.0.1:{world.github.port}"
    assert "choose another port" in error.value.hint


def test_data_of_another_version_is_refused(world: World) -> None:
    world.github.stop()
    database = world.folder / "data" / "embedded.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    with pytest.raises(RepowrightError) as error:
        EmbeddedGitHub(world.folder / "data")
    assert "version 9999" in error.value.what
    assert error.value.where == str(database)


def test_many_callers_at_once_lose_nothing(world: World) -> None:
    repository = world.filled()
    issue = repository.create_issue("Busy", "")
    path = f"repos/maintainer/project/issues/{issue.number}/comments"
    clones = [world.clone(folder=f"clone{number}") for number in range(4)]

    def comment(number: int) -> int:
        return world.call("POST", path, json={"body": f"{number}"}).status_code

    def push(number: int) -> int:
        world.commit(clones[number], {f"{number}.py": ""})
        target = f"HEAD:refs/heads/b{number}"
        return world.git("push", "-q", "origin", target, cwd=clones[number]).returncode

    with ThreadPoolExecutor(12) as pool:
        pushed = pool.map(push, range(4))
        answers = list(pool.map(comment, range(40)))
        assert list(pushed) == [0, 0, 0, 0]
    assert answers == [201] * 40
    bodies = {int(c.body) for c in issue.get_comments()}
    assert bodies == set(range(40))
    names = {branch.name for branch in repository.get_branches()}
    assert {"b0", "b1", "b2", "b3"} <= names


def test_everything_is_there_after_a_restart(world: World) -> None:
    repository = world.filled()
    repository.create_issue("Stay", "…")
    world.github.stop()
    with EmbeddedGitHub(world.folder / "data") as again:
        answer = requests.get(
            f"{again.api_url}/repos/maintainer/project/issues",
            headers={"Authorization": f"Bearer {world.seeded.token}"},
            timeout=30,
        )
        assert [issue["title"] for issue in answer.json()] == ["Stay"]
        assert again.store.git(world.seeded.repository).refs("refs/heads/")
