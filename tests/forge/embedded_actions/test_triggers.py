"""Which events start which workflows."""

import pytest

from bot.forge.embedded.actions.plan import BadWorkflow, Concurrency, read_plan
from bot.forge.embedded.actions.triggers import Occasion, matches, wanted
from bot.forge.embedded.store.actions import triggers


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("main", "main", True),
        ("main", "main2", False),
        ("releases/*", "releases/1", True),
        ("releases/*", "releases/1/a", False),
        ("releases/**", "releases/1/a", True),
        ("*", "feature/a", False),
        ("**", "feature/a", True),
        ("**/x", "x", True),
        ("**/x", "a/b/x", True),
        ("v[12].[0-9]+.[0-9]+", "v1.10.1", True),
        ("v[12].[0-9]+.[0-9]+", "v3.1.1", False),
        ("*.jsx?", "page.js", True),
        ("*.jsx?", "page.jsx", True),
        ("a.b", "axb", False),
        ("docs/**", "docs/a.md", True),
        ("docs/**", "docs2/a.md", False),
        ("[broken", "[broken", True),
    ],
)
def test_filter_patterns(pattern: str, name: str, fits: bool) -> None:
    assert matches([pattern], name) is fits


def test_later_patterns_take_back_what_earlier_ones_gave() -> None:
    patterns = ["releases/**", "!releases/**-alpha", "releases/9-alpha"]
    assert matches(patterns, "releases/1")
    assert not matches(patterns, "releases/1-alpha")
    assert matches(patterns, "releases/9-alpha")
    assert not matches(["!main"], "other")


PUSH = Occasion(event="push", branch="main", paths=("src/a.py", "docs/b.md"))
PULL = Occasion(event="pull_request", action="opened", branch="main", paths=("src/a.py",))


@pytest.mark.parametrize(
    ("on", "occasion", "starts"),
    [
        ("push", PUSH, True),
        ("[pull_request, push]", PUSH, True),
        ("pull_request", PUSH, False),
        ("{push: }", PUSH, True),
        ("{push: {branches: [main]}}", PUSH, True),
        ("{push: {branches: dev}}", PUSH, False),
        ("{push: {branches-ignore: [main]}}", PUSH, False),
        ("{push: {tags: ['v*']}}", PUSH, False),
        ("{push: {tags: ['v*'], branches: [main]}}", PUSH, True),
        ("{push: {paths: ['src/**']}}", PUSH, True),
        ("{push: {paths: ['other/**']}}", PUSH, False),
        ("{push: {paths-ignore: ['docs/**']}}", PUSH, True),
        ("{push: {paths-ignore: ['docs/**', 'src/**']}}", PUSH, False),
        ("push", Occasion(event="push", tag="v1"), True),
        ("{push: {tags: ['v*']}}", Occasion(event="push", tag="v1"), True),
        ("{push: {branches: [main]}}", Occasion(event="push", tag="v1"), False),
        ("{push: {branches: [main], paths: ['x']}}", PUSH, False),
        ("push", PUSH.model_copy(update={"message": "Fix it [skip ci]"}), False),
        ("push", PUSH.model_copy(update={"message": "Fix it\n\nskip-checks: true"}), False),
        ("pull_request", PULL, True),
        ("pull_request", PULL.model_copy(update={"action": "labeled"}), False),
        ("{pull_request: {types: [labeled]}}", PULL.model_copy(update={"action": "labeled"}), True),
        ("{pull_request: {branches: [dev]}}", PULL, False),
        ("issues", Occasion(event="issues", action="closed"), True),
        ("{issues: {types: [opened]}}", Occasion(event="issues", action="closed"), False),
        (
            "{workflow_run: {workflows: [CI], types: [completed]}}",
            Occasion(event="workflow_run", action="completed", workflow="CI", branch="x"),
            True,
        ),
        (
            "{workflow_run: {workflows: [CI], types: [completed]}}",
            Occasion(event="workflow_run", action="completed", workflow="Other"),
            False,
        ),
        (
            "{workflow_run: {workflows: [CI], branches: [main]}}",
            Occasion(event="workflow_run", action="completed", workflow="CI", branch="x"),
            False,
        ),
    ],
)
def test_what_starts_a_workflow(on: str, occasion: Occasion, starts: bool) -> None:
    assert wanted(triggers(f"on: {on}\njobs: {{}}".encode()), occasion) is starts


WORKFLOW = b"""
name: CI
run-name: Check ${{ github.ref_name }}
on: [push]
permissions: {contents: read}
concurrency: {group: "ci-${{ github.head_ref || github.ref }}", cancel-in-progress: true}
jobs:
  build:
    name: Build it
    runs-on: [self-hosted, linux]
    steps:
      - uses: actions/checkout@v4
      - run: |
          make all
          make test
      - {id: last, name: At last, run: echo}
  each:
    needs: build
    strategy: {matrix: {v: [1, 2]}}
    runs-on: ubuntu-latest
    steps: [{uses: a/b/c@v1}]
  mac: {runs-on: macos-latest, steps: []}
"""


def test_a_plan_knows_jobs_steps_and_actions() -> None:
    plan = read_plan("ci.yml", WORKFLOW)
    build, each, mac = plan.jobs
    assert (build.fixed_name, build.labels) == ("Build it", ("self-hosted", "linux"))
    assert [(step.key, step.name) for step in build.steps] == [
        ("0", "Run actions/checkout@v4"),
        ("1", "Run make all"),
        ("last", "At last"),
    ]
    assert (each.fixed_name, each.matrix, mac.supported) == ("", True, False)
    assert plan.uses == ("actions/checkout@v4", "a/b/c@v1")
    group = "ci-${{ github.head_ref || github.ref }}"
    assert plan.concurrency == Concurrency(group=group, cancels="true")
    assert plan.permissions == {"contents": "read"}


@pytest.mark.parametrize(
    "text",
    [b"", b"[", b"- a", b"on: push", b"on: push\njobs: []", b"jobs: {a: 1}", b"\xff\xfe\x00"],
)
def test_what_is_no_workflow_is_refused(text: bytes) -> None:
    with pytest.raises(BadWorkflow):
        read_plan("ci.yml", text)
