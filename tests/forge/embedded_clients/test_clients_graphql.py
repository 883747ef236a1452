"""The GraphQL endpoint itself: errors in GitHub's words, pages, limits, what is whose."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from clients_people import Person

from bot.forge.embedded.limits import Limits
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor

COUNT = 'query($n: String!) { repository(owner: "octavia", name: $n) { issues { totalCount } } }'


def ask(github: EmbeddedGitHub, person: Person, query: str, **variables: Any) -> dict[str, Any]:
    answer = post(github, person.token, {"query": query, "variables": variables})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def post(github: EmbeddedGitHub, token: str, body: Any) -> requests.Response:
    headers = {"Authorization": f"bearer {token}"} if token else {}
    return requests.post(github.graphql_url, json=body, headers=headers, timeout=30)


def messages(body: dict[str, Any]) -> list[str]:
    return [error["message"] for error in body["errors"]]


def issues(github: EmbeddedGitHub, person: Person, count: int) -> None:
    repository = github.store.repositories.create(person.account, "list", Actor(person.account))
    for number in range(1, count + 1):
        github.store.issues.create(repository, Actor(person.account), f"Issue {number}")


def test_nobody_and_a_wrong_token_are_turned_away(github: EmbeddedGitHub) -> None:
    nobody = post(github, "", {"query": "{ viewer { login } }"})
    assert (nobody.status_code, nobody.json()["message"]) == (
        401,
        "This endpoint requires you to be authenticated.",
    )
    wrong = post(github, "ghp_wrong", {"query": "{ viewer { login } }"})
    assert (wrong.status_code, wrong.json()["message"]) == (401, "Bad credentials")


def test_both_addresses_answer(github: EmbeddedGitHub, octavia: Person) -> None:
    for path in ("graphql", "api/graphql"):
        answer = requests.post(
            f"{github.url}/{path}",
            json={"query": "{ viewer { login isViewer } }"},
            headers={"Authorization": f"token {octavia.token}"},
            timeout=30,
        )
        assert answer.json() == {"data": {"viewer": {"login": "octavia", "isViewer": True}}}
        assert "repo" in answer.headers["X-OAuth-Scopes"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "A query attribute must be specified and must be a string."),
        ({"query": "{ viewer { login } }", "variables": [1]}, "Variables must be an object"),
        ({"query": "{ viewer { login }"}, "Syntax Error: Expected Name, found <EOF>."),
        ({"query": "{ viewer { shoeSize } }"}, "Field 'shoeSize' doesn't exist on type 'User'"),
        ({"query": "{" + " a" * 20_001 + "}"}, "Syntax Error: Document contains more than"),
    ],
)
def test_what_is_no_query(
    github: EmbeddedGitHub, octavia: Person, body: dict[str, Any], problem: str
) -> None:
    answer = post(github, octavia.token, body).json()
    assert messages(answer)[0].startswith(problem)
    assert "data" not in answer


def test_a_missing_repository_has_type_and_path(github: EmbeddedGitHub, octavia: Person) -> None:
    body = ask(github, octavia, COUNT, n="nothing")
    assert body["data"] == {"repository": None}
    [error] = body["errors"]
    assert (error["type"], error["path"]) == ("NOT_FOUND", ["repository"])
    assert error["message"] == (
        "Could not resolve to a Repository with the name 'octavia/nothing'."
    )


def test_a_private_repository_is_missing_for_others(
    github: EmbeddedGitHub, octavia: Person, rufus: Person
) -> None:
    github.store.repositories.create(octavia.account, "secret", private=True)
    assert ask(github, octavia, COUNT, n="secret")["data"]["repository"] == {
        "issues": {"totalCount": 0}
    }
    assert ask(github, rufus, COUNT, n="secret")["data"] == {"repository": None}
    found = ask(github, rufus, '{ search(type: REPOSITORY, query: "secret", first: 5) '
                "{ repositoryCount nodes { __typename } } }")  # fmt: skip
    assert found["data"]["search"] == {"repositoryCount": 0, "nodes": []}


PAGE = """
query($first: Int, $after: String, $last: Int, $before: String) {
  repository(owner: "octavia", name: "list") {
    issues(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { number } edges { cursor }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}
"""


def page(github: EmbeddedGitHub, person: Person, **arguments: Any) -> tuple[list[int], Any]:
    found = ask(github, person, PAGE, **arguments)["data"]["repository"]["issues"]
    assert found["totalCount"] == 5
    assert [e["cursor"] for e in found["edges"]][-1] == found["pageInfo"]["endCursor"]
    return [node["number"] for node in found["nodes"]], found["pageInfo"]


def test_pages_forwards_and_backwards(github: EmbeddedGitHub, octavia: Person) -> None:
    issues(github, octavia, 5)
    numbers, info = page(github, octavia, first=2)
    assert (numbers, info["hasNextPage"], info["hasPreviousPage"]) == ([1, 2], True, False)
    numbers, info = page(github, octavia, first=2, after=info["endCursor"])
    assert (numbers, info["hasNextPage"], info["hasPreviousPage"]) == ([3, 4], True, True)
    numbers, info = page(github, octavia, first=2, after=info["endCursor"])
    assert (numbers, info["hasNextPage"]) == ([5], False)
    numbers, info = page(github, octavia, last=2)
    assert (numbers, info["hasNextPage"]) == ([4, 5], False)
    numbers, _ = page(github, octavia, last=2, before=info["startCursor"])
    assert numbers == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "You must provide a `first` or `last` value"),
        ({"first": 101}, "Requesting 101 records on the connection exceeds the `first` limit"),
        ({"first": 1, "after": "nonsense"}, "`nonsense` does not appear to be a valid cursor."),
    ],
)
def test_pages_that_github_refuses(
    github: EmbeddedGitHub, octavia: Person, arguments: dict[str, Any], problem: str
) -> None:
    issues(github, octavia, 1)
    assert messages(ask(github, octavia, PAGE, **arguments))[0].startswith(problem)


CREATE = """
mutation($id: ID!, $title: String!) {
  createIssue(input: {repositoryId: $id, title: $title, clientMutationId: "mine"}) {
    clientMutationId issue { number }
  }
}
"""


def test_creating_counts_against_the_secondary_limit(tmp_path: Path) -> None:
    with EmbeddedGitHub(tmp_path / "data", limits=Limits(content_minute=2)) as github:
        account = github.store.accounts.create("octavia")
        token = github.store.tokens.create_personal(account)
        github.store.repositories.create(account, "list")
        identity = post(
            github, token, {"query": '{ repository(owner: "octavia", name: "list") { id } }'}
        ).json()["data"]["repository"]["id"]
        variables = {"id": identity, "title": "One"}
        body = {"query": CREATE, "variables": variables}
        made = [post(github, token, body) for _ in range(3)]
        assert made[0].json()["data"]["createIssue"] == {
            "clientMutationId": "mine",
            "issue": {"number": 1},
        }
        assert [answer.status_code for answer in made] == [200, 200, 403]
        assert int(made[2].headers["Retry-After"]) > 0


def test_spent_points_are_told_as_an_error(tmp_path: Path) -> None:
    with EmbeddedGitHub(tmp_path / "data", limits=Limits(person=1)) as github:
        token = github.store.tokens.create_personal(github.store.accounts.create("octavia"))
        query = {"query": "{ rateLimit { limit remaining } }"}
        first, second = post(github, token, query), post(github, token, query)
        assert first.json() == {"data": {"rateLimit": {"limit": 1, "remaining": 0}}}
        assert second.json()["errors"][0]["type"] == "RATE_LIMITED"
        assert second.headers["X-RateLimit-Remaining"] == "0"


def test_a_body_that_is_too_long_changes_nothing(github: EmbeddedGitHub, octavia: Person) -> None:
    issues(github, octavia, 0)
    repository = ask(github, octavia, '{ repository(owner: "octavia", name: "list") { id } }')
    identity = repository["data"]["repository"]["id"]
    body = ask(github, octavia, CREATE, id=identity, title="x" * 257)
    assert body["data"] == {"createIssue": None}
    assert body["errors"][0]["type"] == "UNPROCESSABLE"
    assert messages(body) == ["title is too long (maximum is 256 characters)"]
    assert ask(github, octavia, COUNT, n="list")["data"]["repository"]["issues"]["totalCount"] == 0


LABEL = """
mutation($id: ID!, $label: ID!) {
  addLabelsToLabelable(input: {labelableId: $id, labelIds: [$label]}) { clientMutationId }
}
"""
LABELLED = """
{
  repository(owner: "octavia", name: "list") {
    labels(first: 9) { nodes { id } }
    issue(number: 1) { id labels(first: 9) { totalCount } }
  }
}
"""


def test_changes_at_the_same_time_all_count(github: EmbeddedGitHub, octavia: Person) -> None:
    issues(github, octavia, 1)
    before = ask(github, octavia, LABELLED)["data"]["repository"]
    issue, labels = before["issue"]["id"], [label["id"] for label in before["labels"]["nodes"]]
    with ThreadPoolExecutor(len(labels)) as at_once:
        made = at_once.map(lambda one: ask(github, octavia, LABEL, id=issue, label=one), labels)
        assert not any("errors" in body for body in made)
    after = ask(github, octavia, LABELLED)["data"]["repository"]
    assert after["issue"]["labels"]["totalCount"] == len(labels) == 9


ARCHIVE = """
mutation($id: ID!) {
  archiveRepository(input: {repositoryId: $id}) { repository { isArchived } }
}
"""


def test_an_archived_repository_takes_nothing(github: EmbeddedGitHub, octavia: Person) -> None:
    issues(github, octavia, 0)
    repository = ask(github, octavia, '{ repository(owner: "octavia", name: "list") { id } }')
    identity = repository["data"]["repository"]["id"]
    archived = ask(github, octavia, ARCHIVE, id=identity)
    assert archived["data"]["archiveRepository"]["repository"] == {"isArchived": True}
    body = ask(github, octavia, CREATE, id=identity, title="One")
    assert messages(body) == ["Repository was archived so is read-only."]
