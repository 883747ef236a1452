"""Payloads that GitHub would never send, made of those that it does."""

import json
from collections.abc import Iterator
from typing import Any

from published import Example, Path

RUN = "repowright/7-lamp"
MATTER = (
    "check_run",
    "check_suite",
    "installation",
    "installation_repositories",
    "issue_comment",
    "issues",
    "label",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
    "workflow_run",
)
"""The events that are read, now or in time."""
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "\x00",
    "\ud800",
    "../../etc/passwd",
    "x" * 2_000,
    [],
    [{}],
    {},
)


def cases(examples: list[Example]) -> list[Example]:
    """One example for each action that matters, each on a run's branch so that it is read to its
    end."""
    chosen = {
        (e.event, e.action): e
        for e in reversed(examples)
        if e.source == "api.github.com" and e.event in MATTER
    }
    return [on_a_run(example) for example in chosen.values()]


def on_a_run(example: Example) -> Example:
    for path in (
        ("pull_request", "head", "ref"),
        ("workflow_run", "head_branch"),
        ("check_run", "check_suite", "head_branch"),
        ("check_suite", "head_branch"),
    ):
        if path[0] in example.payload:
            example = example.changed(path, RUN)
    if "comment" in example.payload and example.event == "issue_comment":
        example = example.changed(("comment", "body"), "/repowright run")
    return example


def places(value: Any, depth: int, path: Path = ()) -> Iterator[Path]:
    """Every place in a payload down to a depth, but for addresses, which nobody reads."""
    if depth == 0 or not isinstance(value, dict | list):
        return
    steps = list(value) if isinstance(value, dict) else list(range(min(len(value), 2)))
    for step in steps:
        if not str(step).endswith("url"):
            yield (*path, step)
            yield from places(value[step], depth - 1, (*path, step))


def slim(value: Any) -> Any:
    """A payload without the addresses, which nobody reads."""
    if isinstance(value, dict):
        return {k: slim(v) for k, v in value.items() if not k.endswith("url")}
    if isinstance(value, list):
        return [slim(v) for v in value[:2]]
    return value


def broken(payload: dict[str, Any], depth: int) -> Iterator[bytes]:
    """The payload with every wrong value, and with nothing, at every place."""
    for path in list(places(payload, depth)):
        inner: Any = payload
        for step in path[:-1]:
            inner = inner[step]
        right = inner[path[-1]]
        for value in WRONG:
            inner[path[-1]] = value
            yield json.dumps(payload).encode()
        if isinstance(inner, dict):
            del inner[path[-1]]
            yield json.dumps(payload).encode()
        inner[path[-1]] = right


TEXTS = [
    b"",
    b"null",
    b"[]",
    b"0",
    b'"text"',
    b"{",
    b"\xff\xfe",
    b"\x00",
    b"\xef\xbb\xbf{}",
    b"NaN",
    b"{}{}",
    b'{"action": ' + b"[" * 200_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"action": 1' + b"0" * 400_000 + b"}",
    b'{"action": "\\ud800"}',
    b'{"action": "opened\\u0000"}',
    b'{"action": "' + b"x" * 1_000_000 + b'"}',
]
