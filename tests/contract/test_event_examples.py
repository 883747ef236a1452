"""Every payload that GitHub publishes an example of: what the bot reads in it."""

import json
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from published import Example, first

from bot.config import Settings
from bot.runs.events import (
    BaseMoved,
    Commanded,
    Found,
    Ignored,
    Labelled,
    Lost,
    Renamed,
    Woken,
    event_of,
)

SETTINGS = Settings(label="bug")
RUN = "repowright/7-lamp"
HELLO = {"repository": "Codertocat/Hello-World"}


def read(example: Example, settings: Settings = SETTINGS) -> Any:
    headers = {"x-github-event": example.event, "content-type": "application/json"}
    return event_of(headers, example.body, settings)


def installation(example: Example) -> int:
    return int(example.payload.get("installation", {}).get("id", 0))


def test_every_example_is_an_event_or_ignored_with_a_reason(examples: list[Example]) -> None:
    assert len(examples) > 500
    assert len({e.event for e in examples}) > 55
    for example in examples:
        event = read(example)
        if isinstance(event, Ignored):
            assert event.why
        elif isinstance(event, Lost | Found):
            named = example.body.decode()
            assert event.repositories
            assert all(f'"{name}"' in named for name in event.repositories)
        else:
            assert event.repository == example.payload["repository"]["full_name"]


def test_an_examples_label_starts(examples: list[Example]) -> None:
    assert read(first(examples, "issues", "labeled")) == Labelled(
        **HELLO,
        installation=0,
        issue=1,
        sender="Codertocat",
        at=datetime(2019, 5, 15, 15, 20, 18, tzinfo=UTC),
    )


def test_an_examples_comment_commands(examples: list[Example]) -> None:
    example = first(examples, "issue_comment", "created")
    assert read(example) == Ignored(why="a comment without a command")
    said = example.changed(("comment", "body"), "Now:\r\n/repowright run\r\n")
    assert read(said) == Commanded(
        **HELLO, installation=0, number=1, on_pull=False, comment=492700400
    )


@pytest.mark.parametrize(
    ("event", "action", "branch", "why"),
    [
        ("pull_request", "closed", ("pull_request", "head", "ref"), "closed"),
        ("pull_request_review", "submitted", ("pull_request", "head", "ref"), "reviewed"),
        ("pull_request_review_comment", "created", ("pull_request", "head", "ref"), "reviewed"),
        ("workflow_run", "completed", ("workflow_run", "head_branch"), "checked"),
        ("check_run", "completed", ("check_run", "check_suite", "head_branch"), "checked"),
    ],
)
def test_an_example_on_a_runs_branch_wakes_it(
    examples: list[Example], event: str, action: str, branch: tuple[str, ...], why: str
) -> None:
    example = first(examples, event, action)
    assert read(example) == Ignored(why="the branch is no run's")
    expected = Woken(**HELLO, installation=installation(example), issue=7, why=why)
    assert read(example.changed(branch, RUN)) == expected


def test_a_closed_issue_wakes_its_run(examples: list[Example]) -> None:
    example = first(examples, "issues", "reopened").changed(("action",), "closed")
    expected = Woken(**HELLO, installation=installation(example), issue=1, why="closed")
    assert read(example) == expected


def test_events_without_an_example_are_ignored(webhook_names: list[str]) -> None:
    assert len(webhook_names) > 60
    sender = {"login": "ann", "type": "User"}
    body = {"action": "made", "sender": sender, "repository": {"full_name": "Ann/Lamp"}}
    for name in webhook_names:
        event = event_of({"x-github-event": name}, json.dumps(body).encode(), SETTINGS)
        assert isinstance(event, Ignored)
        assert event.why


@pytest.mark.parametrize(
    ("event", "action", "expected"),
    [
        ("issues", "edited", Woken(**HELLO, installation=0, issue=1, why="edited")),
        (
            "issues",
            "transferred",
            Woken(repository="octo-org/octo-repo", installation=0, issue=1, why="transferred"),
        ),
        ("issues", "locked", Woken(**HELLO, installation=0, issue=1, why="locked")),
        (
            "repository",
            "transferred",
            Renamed(
                repository="Octocoders/Hello-World", installation=0, former="octocat/Hello-World"
            ),
        ),
        (
            "installation",
            "deleted",
            Lost(repositories=("octocat/Hello-World",), installation=2, bar="uninstalled"),
        ),
        (
            "installation",
            "created",
            Found(repositories=("Codertocat/Hello-World",), installation=957387),
        ),
        (
            "installation_repositories",
            "added",
            Found(repositories=("Codertocat/Space",), installation=957387),
        ),
        (
            "installation_repositories",
            "removed",
            Lost(repositories=("octocat/Hello-World",), installation=2, bar="uninstalled"),
        ),
    ],
)
def test_examples_tell_what_happens_to_issues_and_repositories(
    examples: list[Example], event: str, action: str, expected: object
) -> None:
    assert read(first(examples, event, action)) == expected


@pytest.mark.parametrize(("action", "bar"), [("archived", "archived"), ("deleted", "gone")])
def test_an_examples_repository_is_lost(
    examples: list[Example], action: str, bar: Literal["archived", "gone"]
) -> None:
    example = first(examples, "repository", "privatized").changed(("action",), action)
    assert read(example) == Lost(
        repositories=("Codertocat/Hello-World",), installation=installation(example), bar=bar
    )


def test_an_examples_repository_has_another_name(examples: list[Example]) -> None:
    example = first(examples, "repository", "renamed")
    renamed = example.changed(("changes", "repository", "name", "from"), "Old-World")
    found = read(renamed)
    assert isinstance(found, Renamed)
    assert (found.repository, found.former) == (
        "Octocoders/Hello-World",
        "Octocoders/Old-World",
    )


def test_an_examples_push_moves_the_base_or_wakes_a_run(examples: list[Example]) -> None:
    example = first(examples, "push", "")
    assert read(example) == Ignored(why="the branch is no run's")
    place = {**HELLO, "installation": installation(example)}
    default = example.payload["repository"]["default_branch"]
    assert read(example.changed(("ref",), f"refs/heads/{default}")) == BaseMoved(**place)
    on_run = example.changed(("ref",), f"refs/heads/{RUN}")
    assert read(on_run) == Woken(**place, issue=7, why="pushed")
