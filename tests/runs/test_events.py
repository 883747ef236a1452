"""Which deliveries ask for something, and what for."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Settings
from bot.runs.events import (
    BaseMoved,
    Commanded,
    Found,
    Ignored,
    Labelled,
    Lost,
    News,
    Renamed,
    Woken,
    event_of,
)

SETTINGS = Settings()
REPOSITORY = {"full_name": "Ann/Lamp"}
ON_MAIN = REPOSITORY | {"default_branch": "main"}
ANN = {"login": "ann", "type": "User"}
ROBOT = {"login": "robot[bot]", "type": "Bot"}
ISSUE = {"number": 7, "updated_at": "2026-01-02T03:04:05Z", "labels": [{"name": "repowright"}]}
OURS = {"ref": "repowright/7-lamp", "repo": REPOSITORY}


def read(name: str, **payload: Any) -> Any:
    body = {"repository": REPOSITORY, "sender": ANN, "installation": {"id": 5}} | payload
    return event_of({"x-github-event": name}, json.dumps(body).encode(), SETTINGS)


def test_the_label_starts() -> None:
    event = read("issues", action="labeled", issue=ISSUE, label={"name": "Repowright"})
    assert isinstance(event, Labelled)
    assert (event.repository, event.installation) == ("Ann/Lamp", 5)
    assert (event.issue, event.sender) == (7, "ann")
    assert event.at.isoformat() == "2026-01-02T03:04:05+00:00"


@pytest.mark.parametrize(
    "payload",
    [{"issue": ISSUE | {"number": 2**31}}, {"issue": ISSUE, "installation": {"id": 2**31}}],
)
def test_a_number_that_no_column_holds_is_ignored(payload: dict[str, Any]) -> None:
    event = read("issues", action="labeled", label={"name": "repowright"}, **payload)
    assert isinstance(event, Ignored)


def test_an_issue_opened_with_the_label_starts() -> None:
    assert isinstance(read("issues", action="opened", issue=ISSUE), Labelled)


@pytest.mark.parametrize(
    "payload",
    [
        {"action": "labeled", "label": {"name": "bug"}},
        {"action": "opened", "issue": ISSUE | {"labels": []}},
        {"action": "opened", "sender": ROBOT},
        {"action": "labeled", "label": {"name": "repowright"}, "sender": ROBOT},
        {"action": "unlabeled", "label": {"name": "bug"}},
        {"action": "edited", "issue": ISSUE | {"labels": []}},
        {"action": "pinned"},
    ],
)
def test_other_news_of_issues_start_nothing(payload: dict[str, Any]) -> None:
    assert isinstance(read("issues", **({"issue": ISSUE} | payload)), Ignored)


@pytest.mark.parametrize(
    "body", ["/repowright run", "Yes.\r\n\r\n/repowright approve\r\n", "/repowright"]
)
def test_a_command_line_is_heard(body: str) -> None:
    comment = {"id": 11, "body": body, "user": ANN}
    event = read("issue_comment", action="created", issue=ISSUE, comment=comment)
    assert event == Commanded(
        repository="Ann/Lamp", installation=5, number=7, on_pull=False, comment=11
    )


def test_a_command_on_a_pull_request_says_so() -> None:
    comment = {"id": 11, "body": "/repowright cancel", "user": ANN}
    issue = ISSUE | {"pull_request": {"url": "https://example.invalid"}}
    event = read("issue_comment", action="created", issue=issue, comment=comment)
    assert isinstance(event, Commanded)
    assert event.on_pull


@pytest.mark.parametrize(
    "payload",
    [
        {"action": "edited"},
        {"action": "deleted"},
        {"sender": ROBOT},
        {"comment": {"id": 11, "body": "/repowright run", "user": ROBOT}},
        {"comment": {"id": 11, "body": "> /repowright run", "user": ANN}},
        {"comment": {"id": 11, "body": "```\n/repowright run\n```", "user": ANN}},
        {"comment": {"id": 11, "body": None, "user": ANN}},
        {"comment": {"id": 11, "body": "@repowright run", "user": ANN}},
    ],
)
def test_what_is_no_persons_new_command_is_not_heard(payload: dict[str, Any]) -> None:
    told = {
        "action": "created",
        "issue": ISSUE,
        "comment": {"id": 11, "body": "/repowright run", "user": ANN},
    }
    assert isinstance(read("issue_comment", **(told | payload)), Ignored)


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("pull_request_review", {"action": "submitted", "pull_request": {"head": OURS}}),
        ("pull_request_review_comment", {"action": "created", "pull_request": {"head": OURS}}),
        ("pull_request", {"action": "closed", "pull_request": {"head": OURS}}),
        ("issues", {"action": "closed", "issue": ISSUE}),
        ("workflow_run", {"action": "completed", "workflow_run": {"head_branch": OURS["ref"]}}),
        (
            "check_run",
            {
                "action": "completed",
                "check_run": {"name": "check", "check_suite": {"head_branch": OURS["ref"]}},
            },
        ),
    ],
)
def test_what_a_run_may_wait_for_wakes_it(name: str, payload: dict[str, Any]) -> None:
    event = read(name, **payload)
    assert isinstance(event, Woken)
    assert event.issue == 7


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("pull_request_review", {"action": "edited", "pull_request": {"head": OURS}}),
        (
            "pull_request_review",
            {"action": "submitted", "pull_request": {"head": OURS}, "sender": ROBOT},
        ),
        (
            "pull_request",
            {
                "action": "closed",
                "pull_request": {"head": OURS | {"repo": {"full_name": "eve/lamp"}}},
            },
        ),
        ("pull_request", {"action": "closed", "pull_request": {"head": OURS | {"repo": None}}}),
        ("workflow_run", {"action": "completed", "workflow_run": {"head_branch": "main"}}),
        ("workflow_run", {"action": "completed", "workflow_run": {"head_branch": None}}),
        ("workflow_run", {"action": "requested", "workflow_run": {"head_branch": OURS["ref"]}}),
        (
            "check_run",
            {
                "action": "completed",
                "check_run": {
                    "name": "repowright / judge",
                    "check_suite": {"head_branch": OURS["ref"]},
                },
            },
        ),
    ],
)
def test_what_no_run_waits_for_wakes_none(name: str, payload: dict[str, Any]) -> None:
    assert isinstance(read(name, **payload), Ignored)


def test_a_form_holds_the_same_payload() -> None:
    told = {"action": "closed", "sender": ANN, "repository": REPOSITORY, "issue": ISSUE}
    body = urlencode({"payload": json.dumps(told)}).encode()
    headers = {"x-github-event": "issues", "content-type": "application/x-www-form-urlencoded"}
    event = event_of(headers, body, SETTINGS)
    assert event == Woken(repository="Ann/Lamp", installation=0, issue=7, why="closed")


def test_a_repository_name_is_no_path() -> None:
    event = read("issues", action="opened", issue=ISSUE, repository={"full_name": "../../etc"})
    assert isinstance(event, Ignored)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["action", "issue", "comment", "sender", "repository", "number", "head", "label"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        "issues",
        "issue_comment",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "workflow_run",
        "check_run",
        "push",
        "",
    ]
)


@given(NAMES, st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_anything_else_is_survived(name: str, body: bytes) -> None:
    kinds = ("application/json", "application/x-www-form-urlencoded", "")
    for kind in kinds:
        event = event_of({"x-github-event": name, "content-type": kind}, body, SETTINGS)
        assert isinstance(event, Ignored | Labelled | Commanded | Woken | News)


def test_a_form_of_many_fields_is_survived() -> None:
    headers = {"x-github-event": "issues", "content-type": "application/x-www-form-urlencoded"}
    assert isinstance(event_of(headers, b"a=b&" * 50_000, SETTINGS), Ignored)


def test_deep_nesting_is_survived() -> None:
    body = b'{"action": ' + b"[" * 100_000
    assert isinstance(event_of({"x-github-event": "issues"}, body, SETTINGS), Ignored)


@pytest.mark.parametrize("action", ["unlabeled", "edited", "locked", "reopened", "deleted"])
def test_what_happens_to_an_issue_wakes_its_run(action: str) -> None:
    event = read("issues", action=action, issue=ISSUE, label={"name": "repowright"})
    assert event == Woken(repository="Ann/Lamp", installation=5, issue=7, why=action)


def test_a_persons_push_to_the_work_branch_wakes_and_the_bots_does_not() -> None:
    pushed = {"ref": "refs/heads/repowright/7-lamp"}
    assert read("push", **pushed) == Woken(
        repository="Ann/Lamp", installation=5, issue=7, why="pushed"
    )
    assert isinstance(read("push", **pushed, sender=ROBOT), Ignored)
    assert isinstance(read("push", ref="refs/tags/repowright/7-lamp"), Ignored)


def test_what_happens_to_the_default_branch_is_told() -> None:
    moved = BaseMoved(repository="Ann/Lamp", installation=5)
    assert read("push", ref="refs/heads/main", repository=ON_MAIN) == moved
    changes = {"default_branch": {"from": "master"}}
    assert read("repository", action="edited", changes=changes) == moved


def test_a_pull_request_that_goes_to_another_base_wakes() -> None:
    told = {"action": "edited", "pull_request": {"head": OURS}}
    assert isinstance(read("pull_request", **told, changes={"title": {"from": "x"}}), Ignored)
    assert read("pull_request", **told, changes={"base": {"ref": {"from": "main"}}}) == Woken(
        repository="Ann/Lamp", installation=5, issue=7, why="edited"
    )


@pytest.mark.parametrize(("action", "bar"), [("archived", "archived"), ("deleted", "gone")])
def test_a_repository_is_lost(action: str, bar: str) -> None:
    event = read("repository", action=action)
    assert event == Lost(repositories=("Ann/Lamp",), installation=5, bar=bar)


def test_a_repository_has_another_name_or_owner() -> None:
    renamed = read("repository", action="renamed", changes={"repository": {"name": {"from": "L"}}})
    assert renamed == Renamed(repository="Ann/Lamp", installation=5, former="Ann/L")
    owner = {"owner": {"from": {"user": {"login": "Bob"}}}}
    transferred = read("repository", action="transferred", changes=owner)
    assert transferred == Renamed(repository="Ann/Lamp", installation=5, former="Bob/Lamp")


@pytest.mark.parametrize(
    ("event", "action", "field", "bar"),
    [
        ("installation", "deleted", "repositories", "uninstalled"),
        ("installation", "suspend", "repositories", "suspended"),
        ("installation_repositories", "removed", "repositories_removed", "uninstalled"),
        ("installation", "created", "repositories", None),
        ("installation", "unsuspend", "repositories", None),
        ("installation_repositories", "added", "repositories_added", None),
    ],
)
def test_an_installation_loses_and_finds_repositories(
    event: str, action: str, field: str, bar: str | None
) -> None:
    several = ({"full_name": "Ann/Lamp"}, {"full_name": "Ann/Shade"})
    told = read(event, action=action, **{field: several})
    names = {"repositories": ("Ann/Lamp", "Ann/Shade"), "installation": 5}
    assert told == (Found.model_validate(names) if bar is None else Lost(**names, bar=bar))
