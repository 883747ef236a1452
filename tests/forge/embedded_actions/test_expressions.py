"""GitHub's expressions, and the concurrency groups that the workflows of `repowright init` get."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.forge.embedded.actions.context import Names, names_of, run_context
from bot.forge.embedded.actions.expressions import BadExpression, evaluate, filled_in
from bot.forge.embedded.actions.occasions import source_of
from bot.forge.embedded.actions.plan import BadWorkflow, read_plan
from bot.forge.embedded.git.objects import ZERO, RefUpdate, Signature, TreeChange
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.shapes.events import payload
from bot.forge.embedded.store import Actor
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import Repository
from bot.starter.files import starter_files
from bot.starter.repository import Target
from bot.starter.setups import Purpose, SetupName, setups

EVENT = {
    "issue": {"number": 7, "labels": [{"name": "bug"}, {"name": "Repowright"}, {}]},
    "sender": {"type": "User"},
    "draft": False,
    "milestone": None,
}
CONTEXT = {"github": {"event": EVENT, "ref": "refs/heads/main", "head_ref": ""}, "inputs": {}}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("github.head_ref || github.ref", "refs/heads/main"),
        ("1 == 1 && 'yes' || 'no'", "yes"),
        ("github.event.draft && 'yes'", False),
        ("github.event.milestone && 'yes'", None),
        ("!github.event.label", True),
        ("github.event.issue.labels.*.name", ["bug", "Repowright"]),
        ("github.event['issue'].labels[1].name", "Repowright"),
        ("github.event.issue.labels[9].name", None),
        ("github.EVENT.Issue.number", 7),
        ("contains(github.event.issue.labels.*.name, 'repowright')", True),
        ("contains('Hello world', 'LLO')", True),
        ("contains(github.event.issue, 'number')", False),
        ("startsWith('refs/heads/x', github.ref)", False),
        ("startsWith('Refs/heads/x', 'refs/heads/')", True),
        ("endsWith('abc', 'C')", True),
        ("format('{0} {{{1}}} {0}', 'a', true)", "a {true} a"),
        ("join(github.event.issue.labels.*.name, ', ')", "bug, Repowright"),
        ("join('alone')", "alone"),
        ("toJSON(github.event.sender)", '{\n  "type": "User"\n}'),
        ("fromJSON('{\"a\": [1, 2]}').a[1]", 2),
        ("fromJson('[]') == fromJson('[]')", False),
        ("github.event == github.event", True),
        ("'ABC' == 'abc'", True),
        ("'' == 0", True),
        ("null == false", True),
        ("'1' == 1.0", True),
        ("'true' == true", False),
        ("'a' < 'B'", True),
        ("'10' > 9", True),
        ("'ten' > 9 || 'ten' <= 9", False),
        ("1 < 2 == true", True),
        ("!(1 > 2) && 0x1f == 31", True),
        ("'it''s'", "it's"),
        ("NaN == NaN", False),
        ("-1.5e2", -150),
        ("true || fromJSON('broken')", True),
    ],
)
def test_what_an_expression_comes_to(source: str, value: Any) -> None:
    assert evaluate(source, CONTEXT) == value


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            "env.X",
            "Unrecognized named-value: 'env'. Located at position 1 within expression: env.X",
        ),
        ("true || hashFiles('x')", "Unrecognized function: 'hashFiles'. Located at position 9"),
        ("contains('x')", "Too few parameters supplied: 'contains'"),
        ("join('x', 'y', 'z')", "Too many parameters supplied: 'join'"),
        ("github.ref github", "Unexpected symbol: 'github'. Located at position 12"),
        ("github.ref = 'x'", "Unexpected symbol: '='"),
        ('github.ref == "x"', "Unexpected symbol: '\"x'"),
        ("github.", "Unexpected end of expression: github."),
        ("(1", "Unexpected end of expression: (1"),
        ("", "An expression was expected"),
        ("fromJSON('broken')", "Error parsing fromJson"),
        ("format('{1}', 'x')", "references more arguments than were supplied"),
        ("format('{')", "format string is invalid"),
        ("!" * 100 + "true", "Exceeded max expression depth"),
        ("1" * 21_001, "Exceeded max expression length"),
    ],
)
def test_a_wrong_expression_is_told_as_github_tells_it(source: str, problem: str) -> None:
    with pytest.raises(BadExpression) as caught:
        evaluate(source, CONTEXT)
    assert problem in str(caught.value)


def test_an_expression_cannot_fill_the_memory() -> None:
    source = "'ab'"
    for _ in range(40):
        source = f"format('{{0}}{{0}}', {source})"
    with pytest.raises(BadExpression, match="memory size"):
        evaluate(source, CONTEXT)


def test_texts_are_filled_in() -> None:
    assert filled_in("#${{ github.event.issue.number }} ${{'}}'}}!", CONTEXT) == "#7 }}!"
    assert filled_in("${{ github.event.issue }} ${{ null }}x", CONTEXT) == "Object x"
    with pytest.raises(BadExpression, match="not closed"):
        filled_in("${{ 'github.ref }}", CONTEXT)


def test_the_group_of_a_workflow_comes_before_that_of_a_job() -> None:
    job = "jobs: {a: {runs-on: ubuntu-latest, steps: [], concurrency: 'job-${{ matrix.x }}'}}\n"
    assert _names(f"on: push\n{job}").group == "job-"
    assert _names(f"on: push\nconcurrency: all\n{job}").group == "all"
    cancels = "{group: all, cancel-in-progress: \"${{ github.ref == 'refs/heads/main' }}\"}"
    assert _names(f"on: push\nconcurrency: {cancels}\n{job}").cancels
    with pytest.raises(BadWorkflow, match=r"ci\.yml: `concurrency`: Unrecognized named-value"):
        _names(f"on: push\nconcurrency: all-${{{{ matrix.x }}}}\n{job}")


def _names(text: str) -> Names:
    return names_of(read_plan("ci.yml", text.encode()), "ci.yml", CONTEXT)


class World:
    """A repository with the workflows of `repowright init`, which nobody carries out."""

    def __init__(self, github: EmbeddedGitHub) -> None:
        self.github = github
        self.store = github.store
        self.ada = Actor(self.store.accounts.create("ada", email="ada@example.org"))
        self.repository: Repository = self.store.repositories.create(self.ada.user, "shop")
        self.events: list[Event] = []
        self.files = {
            f".github/workflows/{name}": text.encode()
            for purpose in Purpose
            for name, text in _workflows(purpose).items()
        }
        self.push("main", self.files)
        self.store.bus.subscribe(self.events.append)

    def push(self, branch: str, files: dict[str, bytes]) -> str:
        git = self.store.git(self.repository)
        tree = git.write_tree(
            None, [TreeChange(path, "100644", git.write_blob(text)) for path, text in files.items()]
        )
        signature = Signature("Ada", "ada@example.org", self.store.now())
        sha = git.write_commit(tree, [], "Begin", signature, signature)
        git.update_ref(f"refs/heads/{branch}", sha)
        update = RefUpdate(f"refs/heads/{branch}", ZERO, sha)
        self.store.record_push(self.repository, self.ada, [update])
        return sha

    def group(self, event: Event, file: str) -> tuple[str, int]:
        """The concurrency group that a run of the event gets, and the run's id."""
        path = f".github/workflows/{file}"
        source = source_of(self.store, event)
        assert source is not None
        run = self.store.actions.create_run(
            self.repository,
            self.store.actions.workflow(self.repository, path, file),
            event.actor,
            event=event.name,
            head_sha=source.head_sha,
            head_branch=source.head_branch,
            payload={
                "event": payload(self.github.shapes, event),
                "source": source.model_dump(mode="json"),
            },
        )
        plan = read_plan(path, self.files[path])
        names = names_of(plan, path, run_context(self.store, self.repository, run, plan, {}))
        return names.group, run.id

    def last(self, name: str) -> Event:
        return [event for event in self.events if event.name == name][-1]


def _workflows(purpose: Purpose) -> dict[str, str]:
    files = starter_files(setups()[SetupName.APP], purpose, Target(root=Path()))
    prefix = ".github/workflows/"
    return {f.path.removeprefix(prefix): f.text for f in files if f.path.startswith(prefix)}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with EmbeddedGitHub(tmp_path / "data", actions=None) as github:
        yield World(github)


def test_what_concerns_an_issue_waits_in_its_group(world: World) -> None:
    app, _ = world.store.apps.create("builder", world.ada.user, permissions={"issues": "write"})
    bot = world.store.tokens.actor(
        world.store.tokens.create_installation(world.store.apps.install(app, world.ada.user))
    )
    issues = world.store.issues
    issue = issues.create(world.repository, world.ada, title="Spec")
    issues.comment(world.repository, issue, world.ada, "/repowright status")
    group, _ = world.group(world.last("issue_comment"), "repowright.yml")
    assert group == f"repowright-{issue.number}"
    issues.set_labels(world.repository, issue, world.ada, ("repowright",))
    group, _ = world.group(world.last("issues"), "repowright.yml")
    assert group == f"repowright-{issue.number}"
    for actor, words in (
        (world.ada, "thanks"),
        (world.ada, "/repowright is said <!-- repowright:answer -->"),
        (bot, "Comment /repowright retry"),
    ):
        issues.comment(world.repository, issue, actor, words)
        group, run = world.group(world.last("issue_comment"), "repowright.yml")
        assert group == f"repowright-{run}"


def test_the_end_of_a_workflow_waits_in_the_group_of_its_branch(world: World) -> None:
    for branch, file, own in (
        ("repowright/7", "repowright.yml", True),
        ("main", "repowright.yml", False),
        ("main", "repowright-repair.yml", True),
    ):
        actions = world.store.actions
        sha = world.push(branch, world.files)
        run = actions.create_run(
            world.repository,
            actions.workflow(world.repository, ".github/workflows/repowright-check.yml", "check"),
            world.ada,
            event="push",
            head_sha=sha,
            head_branch=branch,
        )
        actions.update_run(world.repository, run, status="completed", conclusion="failure")
        group, ours = world.group(world.last("workflow_run"), file)
        assert group == (f"repowright-{branch}" if own else f"repowright-{ours}")


def test_a_run_by_hand_waits_in_the_group_of_the_issue_that_it_names(world: World) -> None:
    for inputs, name in (({"issue": "12"}, "12"), ({"issue": ""}, "all")):
        extra = {"ref": "refs/heads/main", "inputs": inputs, "workflow": "repowright.yml"}
        world.store.publish("workflow_dispatch", None, world.ada, world.repository, extra)
        group, _ = world.group(world.last("workflow_dispatch"), "repowright.yml")
        assert group == f"repowright-{name}"
