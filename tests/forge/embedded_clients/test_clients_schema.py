"""Every field of the GraphQL schema answers, on a repository that has one of everything."""

from pathlib import Path
from typing import Any

import pytest
import requests
from clients_people import Person, commit_all
from graphql import (
    GraphQLField,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_object_type,
)

from bot.forge.embedded.graphql.schema import github_schema
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.reviews import InlineComment
from bot.forge.embedded.store.rows import Pull, Repository

DEPTH = 2
ARGUMENTS = {
    "expression": '"main:hello.py"',
    "fieldValueByName": 'name: "Status"',
    "compare": 'headRef: "more"',
    "issue": "number: 1",
    "issueOrPullRequest": "number: 2",
    "label": 'name: "bug"',
    "milestone": "number: 1",
    "pullRequest": "number: 2",
    "ref": 'qualifiedName: "main"',
    "refs": 'refPrefix: "refs/heads/", first: 5',
    "release": 'tagName: "v1"',
    "repository": 'name: "demo"',
}
"""Arguments of the fields that need some; connections take `first` besides."""
DEMO = '{ repository(owner: "octavia", name: "demo") { %s } }'
PULL = DEMO.replace("%s", "pullRequest(number: 2) { %s }")
THREAD = PULL.replace("%s", "reviewThreads(first: 1) { nodes { %s } }")
CONTEXT = PULL.replace("%s", "statusCheckRollup { contexts(first: 9) { nodes { ... on %s } } }")
PLACES = {
    "Repository": DEMO,
    "Issue": DEMO.replace("%s", "issue(number: 1) { %s }"),
    "IssueComment": DEMO.replace("%s", "issue(number: 1) { comments(first: 1) { nodes { %s } } }"),
    "PullRequest": PULL,
    "PullRequestReview": PULL.replace("%s", "reviews(first: 1) { nodes { %s } }"),
    "PullRequestReviewThread": THREAD,
    "PullRequestReviewComment": THREAD.replace("%s", "comments(first: 1) { nodes { %s } }"),
    "Commit": DEMO.replace("%s", 'object(expression: "more") { ... on Commit { %s } }'),
    "Tree": DEMO.replace("%s", 'object(expression: "more:") { ... on Tree { %s } }'),
    "Blob": DEMO.replace("%s", 'object(expression: "more:more.py") { ... on Blob { %s } }'),
    "CheckRun": CONTEXT.replace("%s", "CheckRun { %s }"),
    "StatusContext": CONTEXT.replace("%s", "StatusContext { %s }"),
    "WorkflowRun": CONTEXT.replace("%s", "CheckRun { checkSuite { workflowRun { %s } } }"),
    "Label": DEMO.replace("%s", 'label(name: "bug") { %s }'),
    "Milestone": DEMO.replace("%s", "milestone(number: 1) { %s }"),
    "Ref": DEMO.replace("%s", "defaultBranchRef { %s }"),
    "User": "{ viewer { %s } }",
    "Organization": '{ organization(login: "guild") { %s } }',
    "RateLimit": "{ rateLimit { %s } }",
}


@pytest.fixture
def world(github: EmbeddedGitHub, octavia: Person, rufus: Person, project: Path) -> Person:
    """octavia/demo with one of everything; pull request 2 goes from `more` to `main`."""
    octavia.git("switch", "-q", "-c", "more", cwd=project)
    (project / "more.py").write_text("MORE = 1\nLESS = 2\n")
    head = commit_all(octavia, project, "Add more\n\nAnd less.")
    octavia.git("push", "-q", "origin", "more", cwd=project)
    store, by = github.store, Actor(octavia.account)
    repository = store.repositories.find("octavia", "demo")
    assert repository is not None
    store.accounts.create_organization("guild", octavia.account)
    store.repositories.add_collaborator(repository, rufus.account)
    milestone = store.issues.create_milestone(repository, by, "One")
    issue = store.issues.create(
        repository, by, "More", "Please, @rufus.", labels=("bug",),
        assignee_ids=(octavia.account.id,), milestone_id=milestone.id,
    )  # fmt: skip
    comment = store.issues.comment(repository, issue, by, "I *will*.")
    store.issues.react("comment", comment, by, "heart")
    pull = store.pulls.create(
        repository, by, title="More", head="more", base="main", body="Fixes #1"
    )
    _review(github, repository, pull, rufus)
    _check(github, repository, by, head)
    return octavia


def _review(github: EmbeddedGitHub, repository: Repository, pull: Pull, rufus: Person) -> None:
    store = github.store
    store.repositories.protect(
        repository,
        "main",
        {
            "required_pull_request_reviews": {"required_approving_review_count": 1},
            "required_status_checks": {"strict": True, "contexts": ["lint"]},
        },
    )
    store.pulls.request_reviewers(
        repository, pull, Actor(store.accounts.get(repository.owner_id)), (rufus.account,)
    )
    store.reviews.create(
        repository, pull, Actor(rufus.account),
        event="COMMENT", body="Hm.", comments=(InlineComment("more.py", "Why?", line=2),),
    )  # fmt: skip


def _check(github: EmbeddedGitHub, repository: Repository, by: Actor, head: str) -> None:
    store = github.store
    app, _ = store.apps.create("judge", by.user, permissions={"checks": "write"})
    note = {"path": "more.py", "start_line": 1, "end_line": 1, "message": "Odd"}
    store.checks.create_run(
        repository, Actor(store.apps.bot(app), app=app), name="judge", sha=head,
        conclusion="success", output={"title": "Fine", "summary": "All"}, annotations=(note,),
    )  # fmt: skip
    store.checks.create_status(repository, by, head, "success", context="lint")
    workflow = store.actions.workflow(repository, ".github/workflows/check.yml", "Check")
    run = store.actions.create_run(
        repository, workflow, by, event="push", head_sha=head, head_branch="more"
    )
    job = store.actions.create_job(repository, run, "test")
    store.actions.update_job(repository, job, status="completed", conclusion="success")


def _fields(kind: GraphQLObjectType, depth: int) -> str:
    """Every field of a type that needs no unknown argument, objects `depth` levels deep."""
    return " ".join(filter(None, (_field(name, f, depth) for name, f in kind.fields.items())))


def _field(name: str, field: GraphQLField, depth: int) -> str:
    kind = get_named_type(field.type)
    given = ARGUMENTS.get(name, "") if _needs(field) else ""
    if _needs(field) and not given:
        raise AssertionError(f"no arguments for {name}")
    if "first" in field.args and not given:
        given = "first: 3"
    called = f"{name}({given})" if given else name
    if is_leaf_type(kind):
        return called
    if not is_object_type(kind):
        return f"{called} {{ __typename }}"
    if depth == 0 and not name.endswith(("nodes", "edges", "pageInfo")):
        return ""
    inner = _fields(kind, depth - 1 if depth else 0)  # type: ignore[arg-type]
    return f"{called} {{ {inner} }}" if inner else ""


def _leaves(kind: GraphQLObjectType) -> list[str]:
    """The fields that are never empty."""
    fields = kind.fields.items()
    return [
        n for n, f in fields if isinstance(f.type, GraphQLNonNull) and is_leaf_type(f.type.of_type)
    ]


def _needs(field: GraphQLField) -> bool:
    return any(isinstance(argument.type, GraphQLNonNull) for argument in field.args.values())


@pytest.mark.parametrize("name", PLACES)
def test_every_field_answers(github: EmbeddedGitHub, world: Person, name: str) -> None:
    kind = github_schema().type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    query = PLACES[name].replace("%s", _fields(kind, DEPTH))
    body = _ask(github, world, query)
    assert "errors" not in body, body["errors"]
    assert _values(body["data"]) >= len(_leaves(kind)), query


def test_what_blocks_the_merge_is_told(github: EmbeddedGitHub, world: Person) -> None:
    body = _ask(
        github, world,
        '{ repository(owner: "octavia", name: "demo") { pullRequest(number: 2) {'
        " mergeable mergeStateStatus reviewDecision statusCheckRollup { state }"
        " reviewThreads(first: 1) { nodes { isResolved line path } } } } }",
    )  # fmt: skip
    assert body["data"]["repository"]["pullRequest"] == {
        "mergeable": "MERGEABLE",
        "mergeStateStatus": "BLOCKED",
        "reviewDecision": "REVIEW_REQUIRED",
        "statusCheckRollup": {"state": "SUCCESS"},
        "reviewThreads": {"nodes": [{"isResolved": False, "line": 2, "path": "more.py"}]},
    }


def test_node_ids_are_those_of_the_rest_api(github: EmbeddedGitHub, world: Person) -> None:
    headers = {"Authorization": f"token {world.token}"}
    for path, kind in (
        ("repos/octavia/demo", "Repository"),
        ("repos/octavia/demo/issues/1", "Issue"),
        ("repos/octavia/demo/issues/2", "PullRequest"),
        ("repos/octavia/demo/pulls/2", "PullRequest"),
        ("repos/octavia/demo/issues/comments/1", "IssueComment"),
        ("repos/octavia/demo/pulls/2/reviews/1", "PullRequestReview"),
        ("repos/octavia/demo/pulls/comments/1", "PullRequestReviewComment"),
        ("repos/octavia/demo/labels/bug", "Label"),
        ("repos/octavia/demo/check-runs/1", "CheckRun"),
        ("users/octavia", "User"),
        ("users/judge[bot]", "Bot"),
        ("users/guild", "Organization"),
    ):
        answer = requests.get(f"{github.api_url}/{path}", headers=headers, timeout=30)
        identity = answer.json()["node_id"]
        body = _ask(github, world, f'{{ node(id: "{identity}") {{ __typename id }} }}')
        assert body == {"data": {"node": {"__typename": kind, "id": identity}}}, path


def _ask(github: EmbeddedGitHub, person: Person, query: str) -> Any:
    headers = {"Authorization": f"token {person.token}"}
    answer = requests.post(github.graphql_url, json={"query": query}, headers=headers, timeout=60)
    assert answer.status_code == 200
    return answer.json()


def _values(data: Any) -> int:
    """How many leaves there are that say something."""
    if isinstance(data, dict):
        return sum(_values(value) for value in data.values())
    if isinstance(data, list):
        return sum(_values(value) for value in data)
    return data is not None
