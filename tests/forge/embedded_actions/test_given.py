"""Secrets and variables of workflow runs: what jobs get, what logs show, and who gets nothing."""

import base64

import pytest
from actions_hub import Hub
from nacl.public import PublicKey, SealedBox

from bot.forge.embedded.actions.occasions import Source
from bot.forge.embedded.actions.triggers import Occasion
from bot.forge.embedded.store.rows import Environment

KEY = "-----BEGIN KEY-----\nfirst line of it\nsecond: line #2\n-----END KEY-----\n"
CUSTOM = {"protected_branches": False, "custom_branch_policies": True}
SHOW = """
on: [push, pull_request]
jobs:
  show:
    runs-on: ubuntu-latest
    {environment}
    steps:
      - env:
          PLACE: ${{{{ vars.PLACE }}}}
          WORD: ${{{{ secrets.WORD }}}}
          KEY: ${{{{ secrets.KEY }}}}
        run: |
          echo "place=$PLACE length=${{#WORD}} lines=$(printf %s "$KEY" | wc -l)"
          echo "word=$WORD"
          echo "$KEY"
"""


def hide(hub: Hub, name: str, value: str, environment: Environment | None = None) -> None:
    box = SealedBox(PublicKey(base64.b64decode(hub.store.vault.public_key)))
    sealed = base64.b64encode(box.encrypt(value.encode())).decode()
    assert hub.store.vault.put_secret(hub.repository, environment, name, sealed)


@pytest.fixture
def guarded(hub: Hub) -> Environment:
    """An environment of the default branch alone; the repository has values of its own."""
    hide(hub, "WORD", "of the repository")
    hub.store.vault.create_variable(hub.repository, None, "PLACE", "repository")
    made = hub.store.environments.put(hub.repository, "deploy", branch_policy=CUSTOM)
    hub.store.environments.add_policy(made, "main", "branch")
    hide(hub, "WORD", "of the environment", made)
    hide(hub, "KEY", KEY, made)
    hub.store.vault.create_variable(hub.repository, made, "PLACE", "environment")
    return made


def shown(hub: Hub, run: int = -1) -> str:
    (job,) = hub.jobs(hub.runs()[run]).values()
    return hub.log(job)


def test_a_job_of_the_environment_gets_its_values_and_logs_show_none(
    hub: Hub, guarded: Environment
) -> None:
    hub.workflow(SHOW.format(environment="environment: Deploy"))
    (run,) = hub.completed()
    assert run.conclusion == "success"
    log = shown(hub)
    assert "place=environment length=18 lines=4" in log
    assert "word=***" in log
    for line in KEY.splitlines():
        assert line not in log


def test_a_job_without_an_environment_gets_the_repositorys_alone(
    hub: Hub, guarded: Environment
) -> None:
    hub.workflow(SHOW.format(environment=""))
    hub.completed()
    assert "place=repository length=17 lines=0" in shown(hub)


def test_another_branch_may_not_use_the_environment(hub: Hub, guarded: Environment) -> None:
    hub.push({"a.txt": "a"})
    hub.push(
        {".github/workflows/steal.yml": SHOW.format(environment="environment: deploy")},
        branch="thief",
    )
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    assert (
        'Branch "thief" is not allowed to deploy to deploy due to environment protection rules.'
        in shown(hub)
    )


def test_a_forks_pull_request_gets_nothing(hub: Hub, guarded: Environment) -> None:
    sha = hub.workflow(SHOW.format(environment="environment: deploy"))
    hub.completed()
    workflow = hub.store.actions.workflow(hub.repository, ".github/workflows/ci.yml", "ci")
    of_fork = {"head": {"ref": "main", "repo": {"full_name": "mallory/shop"}}}
    source = Source(
        occasion=Occasion(event="pull_request"),
        sha=sha,
        ref="refs/heads/main",
        head_sha=sha,
        head_branch="main",
    )
    run = hub.store.actions.create_run(
        hub.repository,
        workflow,
        hub.ada,
        event="pull_request",
        head_sha=sha,
        head_branch="main",
        payload={"event": {"pull_request": of_fork}, "source": source.model_dump(mode="json")},
    )
    hub.actions.rerun(run, failed_only=False)
    hub.completed(2)
    assert "place= length=0 lines=0" in shown(hub)


def test_jobs_of_different_environments_are_refused(hub: Hub, guarded: Environment) -> None:
    text = SHOW.format(environment="environment: deploy")
    other = "  other: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}\n"
    hub.workflow(text + other)
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    logs = [hub.log(job) for job in hub.jobs(run).values()]
    assert any("different environments" in log for log in logs)


def test_a_variable_is_known_before_the_run_begins(hub: Hub, guarded: Environment) -> None:
    hub.workflow("run-name: At ${{ vars.PLACE }}\n" + SHOW.format(environment="").lstrip())
    (run,) = hub.completed()
    assert run.display_title == "At repository"
