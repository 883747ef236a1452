"""Workflow runs on the embedded GitHub: what comes out, and what cannot get out."""

import io
import json
import os
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from actions_hub import Hub

from bot.base import RepowrightError
from bot.checks.sandbox import NoSandbox
from bot.checks.supervise import descendants
from bot.forge.embedded.git.objects import RefUpdate
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor


def job(*steps: str) -> str:
    """A workflow with one job, `build`, of these steps."""
    lines = [f"      - {step}" for step in steps]
    head = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n"
    return head + "\n".join(lines) + "\n"


def test_a_push_runs_a_workflow_with_jobs_steps_log_summary_and_artifact(hub: Hub) -> None:
    hub.push({"a.txt": "content of a"})
    sha = hub.workflow(
        """
        name: CI/CD
        run-name: for ${{ github.actor }} as ${{ github.run_id }}
        on: push
        jobs:
          build:
            runs-on: ubuntu-latest
            outputs: {word: "${{ steps.say.outputs.word }}"}
            steps:
              - uses: actions/checkout@v4
              - id: say
                name: Say
                run: |
                  cat a.txt; echo
                  echo "$GITHUB_REPOSITORY $GITHUB_REF $GITHUB_SHA $GITHUB_ACTOR $GITHUB_RUN_ID"
                  echo "$GITHUB_SERVER_URL $GITHUB_API_URL"
                  echo "word=done" >> "$GITHUB_OUTPUT"
                  echo "### All good" >> "$GITHUB_STEP_SUMMARY"
                  echo "::warning file=a.txt,line=1,title=Note::look here"
                  mkdir -p out/deep; echo 1 > out/deep/r.txt
              - uses: actions/upload-artifact@v4
                with: {name: result, path: out}
          after:
            needs: build
            runs-on: ubuntu-22.04
            steps:
              - uses: actions/download-artifact@v4
                with: {name: result, path: got}
              - run: echo "${{ needs.build.outputs.word }} $(cat got/deep/r.txt)"
        """
    )
    (run,) = hub.completed()
    assert (run.name, run.display_title, run.event) == ("CI/CD", f"for ada as {run.id}", "push")
    assert (run.status, run.conclusion, run.head_sha) == ("completed", "success", sha)
    jobs = hub.jobs(run)
    assert {name: j.conclusion for name, j in jobs.items()} == {
        "build": "success",
        "after": "success",
    }
    assert [(s["number"], s["name"], s["conclusion"]) for s in jobs["build"].steps] == [
        (1, "Set up job", "success"),
        (2, "Run actions/checkout@v4", "success"),
        (3, "Say", "success"),
        (4, "Run actions/upload-artifact@v4", "success"),
        (5, "Complete job", "success"),
    ]
    log = hub.log(jobs["build"])
    assert "content of a\n" in log
    assert f"ada/shop refs/heads/main {sha} ada {run.id}\n" in log
    assert f"{hub.github.url} {hub.github.api_url}\n" in log
    assert "##[warning]look here" in log
    assert "done 1" in hub.log(jobs["after"])
    check = hub.store.tables.check_runs.get(jobs["build"].id)
    assert (check.name, check.conclusion) == ("build", "success")
    assert check.output["summary"] == "### All good\n"
    assert [(a["path"], a["title"], a["message"]) for a in check.annotations] == [
        ("a.txt", "Note", "look here")
    ]
    (artifact,) = hub.store.actions.artifacts(run)
    with zipfile.ZipFile(io.BytesIO(hub.store.actions.artifact_data(artifact))) as archive:
        assert archive.namelist() == ["deep/r.txt"]


def test_events_tell_of_the_run_as_on_github(hub: Hub) -> None:
    hub.workflow(job("run: 'true'"))
    hub.completed()
    told = [(e.name, e.action) for e in hub.events if e.name not in ("push", "create")]
    assert told == [
        ("check_suite", "requested"),
        ("workflow_run", "requested"),
        ("check_run", "created"),
        ("workflow_job", "queued"),
        ("workflow_run", "in_progress"),
        ("workflow_job", "in_progress"),
        ("check_run", "completed"),
        ("workflow_job", "completed"),
        ("check_suite", "completed"),
        ("workflow_run", "completed"),
    ]


def test_a_failing_step_fails_the_run_and_what_needs_it_is_skipped(hub: Hub) -> None:
    hub.workflow(
        """
        on: push
        jobs:
          each:
            strategy: {fail-fast: false, matrix: {n: [0, 3]}}
            runs-on: ubuntu-latest
            steps:
              - run: exit 5
                continue-on-error: true
              - run: exit ${{ matrix.n }}
              - run: echo not reached
              - if: always()
                run: echo reached
          after: {needs: each, runs-on: ubuntu-latest, steps: [{run: "true"}]}
          mac: {runs-on: macos-latest, steps: [{run: "true"}]}
        """
    )
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    jobs = hub.jobs(run)
    assert {name: j.conclusion for name, j in jobs.items()} == {
        "each (0)": "success",
        "each (3)": "failure",
        "after": "skipped",
        "mac": "skipped",
    }
    assert [(s["name"], s["conclusion"]) for s in jobs["each (3)"].steps[1:5]] == [
        ("Run exit 5", "success"),
        ("Run exit 3", "failure"),
        ("Run echo reached", "success"),
        ("Run echo not reached", "skipped"),
    ]
    assert "##[error]Process completed with exit code 3." in hub.log(jobs["each (3)"])
    assert "Linux jobs only" in hub.log(jobs["mac"])


def test_a_file_that_is_no_workflow_is_a_failed_run_that_says_why(hub: Hub) -> None:
    hub.workflow("on: push\n")
    (run,) = hub.completed()
    assert run.conclusion == "startup_failure"
    (only,) = hub.jobs(run).values()
    assert "no jobs defined" in hub.log(only)


def test_a_wrong_expression_is_a_failed_run_that_says_why(hub: Hub) -> None:
    hub.workflow(job("run: 'true'").replace("jobs:", "run-name: ${{ env.X }}\njobs:"))
    (run,) = hub.completed()
    assert run.conclusion == "startup_failure"
    (only,) = hub.jobs(run).values()
    assert "`run-name`: Unrecognized named-value: 'env'. Located at position 1" in hub.log(only)


def test_what_act_refuses_is_said(hub: Hub) -> None:
    hub.workflow("on: push\njobs: {a: {runs-on: ubuntu-latest, needs: b, steps: [{run: x}]}}")
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    (only,) = hub.jobs(run).values()
    assert hub.log(only).startswith("##[error]Error: ")


def test_an_unknown_action_fails_its_job(hub: Hub) -> None:
    hub.workflow(job("uses: nobody/knows@v1"))
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    assert "nobody/knows" in hub.log(hub.jobs(run)["build"])


def test_an_action_of_another_repository_here_is_found(hub: Hub) -> None:
    tools = hub.store.repositories.create(hub.ada.user, "tools")
    other = Hub(hub.github, hub.actions, tools, hub.ada, hub.make)
    other.push(
        {
            "greet/action.yml": """\
                name: Greet
                description: Greets
                runs:
                  using: composite
                  steps: [{shell: bash, run: echo hello from tools}]
                """
        }
    )
    hub.workflow(job("uses: ada/tools/greet@main"))
    (run,) = hub.completed()
    assert run.conclusion == "success"
    assert "hello from tools" in hub.log(hub.jobs(run)["build"])


def test_a_called_workflow_runs_as_jobs_of_its_caller(hub: Hub) -> None:
    hub.push(
        {
            ".github/workflows/inner.yml": """\
                on: workflow_call
                jobs: {deep: {runs-on: ubuntu-latest, steps: [{run: echo deep}]}}
                """,
            ".github/workflows/ci.yml": """\
                on: push
                jobs: {outer: {uses: ./.github/workflows/inner.yml}}
                """,
        }
    )
    (run,) = hub.completed()
    assert {n: j.conclusion for n, j in hub.jobs(run).items()} == {"outer / deep": "success"}


def test_a_dispatch_runs_its_workflow_with_inputs(hub: Hub) -> None:
    hub.workflow(
        """
        on: {workflow_dispatch: {inputs: {who: {default: nobody}}}}
        jobs:
          greet:
            runs-on: ubuntu-latest
            steps: [{run: "echo hello ${{ inputs.who }} on $GITHUB_REF_NAME"}]
        """
    )
    hub.workflow("on: [push, workflow_dispatch]\njobs: {}", name="other")
    token = hub.store.tokens.create_personal(hub.ada.user, ("repo", "workflow"))
    answer = requests.post(
        f"{hub.github.api_url}/repos/ada/shop/actions/workflows/ci.yml/dispatches",
        json={"ref": "main", "inputs": {"who": "world"}},
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
    )
    assert answer.status_code == 204
    hub.until(lambda: bool(hub.runs(event="workflow_dispatch", status="completed")))
    (run,) = hub.runs(event="workflow_dispatch")
    assert run.conclusion == "success"
    assert "hello world on main" in hub.log(hub.jobs(run)["greet"])


def test_a_pull_request_runs_on_its_test_merge(hub: Hub) -> None:
    hub.push({"a.txt": "a"})
    hub.workflow(
        """
        on: pull_request
        jobs:
          look:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@v4
              - run: echo *.txt; echo "$GITHUB_REF $GITHUB_HEAD_REF $GITHUB_BASE_REF"
        """
    )
    head = hub.push({"b.txt": "b"}, branch="feature")
    hub.push({"c.txt": "c"})
    pull = hub.store.pulls.create(
        hub.repository, hub.ada, title="Add b", head="feature", base="main"
    )
    (run,) = hub.completed()
    assert (run.event, run.head_sha, run.head_branch) == ("pull_request", head, "feature")
    assert run.pull_numbers == (pull.number,)
    log = hub.log(hub.jobs(run)["look"])
    assert "a.txt b.txt c.txt\n" in log
    assert f"refs/pull/{pull.number}/merge feature main\n" in log + "\n"


def test_what_a_workflow_token_pushes_starts_nothing(hub: Hub) -> None:
    hub.workflow(job("run: 'true'"))
    hub.completed()
    token = hub.store.tokens.create_workflow(hub.repository, run_id=1)
    robot = hub.store.tokens.actor(token)
    hub.push({"x.txt": "x"}, branch="by-robot", by=robot)
    hub.push({"y.txt": "y"}, branch="by-ada")
    hub.completed(2)
    assert [run.head_branch for run in hub.runs()] == ["main", "by-ada"]


def test_one_workflow_after_another(hub: Hub) -> None:
    hub.push(
        {
            ".github/workflows/ci.yml": "name: CI\n" + job("run: exit 1"),
            ".github/workflows/then.yml": """\
                on: {workflow_run: {workflows: [CI], types: [completed]}}
                jobs:
                  report:
                    runs-on: ubuntu-latest
                    steps:
                      - run: echo "${{ github.event.workflow_run.conclusion }}"
                """,
        }
    )
    hub.completed(2)
    (then,) = hub.runs(event="workflow_run")
    assert then.conclusion == "success"
    assert hub.log(hub.jobs(then)["report"]).endswith("\nfailure")


LOOP = job("run: echo up; while true; do sleep 0.1; done")


def test_a_run_can_be_cancelled(hub: Hub) -> None:
    others = set(descendants(os.getpid()))
    hub.workflow(LOOP)
    hub.until(lambda: any("\nup" in hub.log(j) for r in hub.runs() for j in hub.jobs(r).values()))
    (run,) = hub.runs()
    hub.actions.cancel(run)
    (run,) = hub.completed()
    assert run.conclusion == "cancelled"
    assert hub.jobs(run)["build"].conclusion == "cancelled"
    assert not hub.store.tables.tokens.find(kind="workflow")
    hub.until(lambda: set(descendants(os.getpid())) <= others)


def test_a_newer_run_of_a_concurrency_group_cancels_the_older(hub: Hub) -> None:
    group = "concurrency: {group: only-one, cancel-in-progress: true}\n"
    hub.workflow(group + LOOP)
    hub.until(lambda: bool(hub.runs(status="in_progress")))
    hub.workflow(group + job("run: 'true'"))
    hub.completed(2)
    assert [run.conclusion for run in hub.runs()] == ["cancelled", "success"]


def test_of_a_group_that_waits_only_the_newest_is_kept(hub: Hub) -> None:
    hub.workflow("concurrency: only-one\n" + LOOP)
    hub.until(lambda: bool(hub.runs(status="in_progress")))
    hub.workflow("concurrency: only-one\n" + job("run: echo second"))
    hub.until(lambda: len(hub.runs()) == 2)
    hub.workflow("concurrency: only-one\n" + job("run: echo third"))
    hub.until(lambda: len(hub.runs()) == 3 and hub.runs()[1].status == "completed")
    hub.actions.cancel(hub.runs()[0])
    hub.completed(3)
    assert [run.conclusion for run in hub.runs()] == ["cancelled", "cancelled", "success"]


def test_a_run_can_be_run_again(hub: Hub) -> None:
    hub.workflow(
        job(
            "run: echo attempt $GITHUB_RUN_ATTEMPT; echo $GITHUB_RUN_ATTEMPT > n.txt",
            "{uses: actions/upload-artifact@v4, with: {name: n, path: n.txt}}",
        )
    )
    (run,) = hub.completed()
    again = hub.store.actions.start_again(hub.repository, run)
    hub.actions.rerun(again, failed_only=False)
    hub.until(lambda: hub.runs()[0].attempt == 2 and hub.runs()[0].status == "completed")
    (run,) = hub.runs()
    assert run.conclusion == "success"
    assert "attempt 2" in hub.log(hub.jobs(run)["build"])
    assert len(hub.store.actions.jobs(run, all_attempts=True)) == 2
    (artifact,) = hub.store.actions.artifacts(run)
    with zipfile.ZipFile(io.BytesIO(hub.store.actions.artifact_data(artifact))) as archive:
        assert archive.read("n.txt") == b"2\n"


def test_a_run_that_a_stop_interrupts_is_run_anew(hub: Hub, tmp_path: Path) -> None:
    hub.workflow(LOOP)
    hub.until(lambda: bool(hub.runs(status="in_progress")))
    hub.github.stop()
    again = hub.make()
    with EmbeddedGitHub(tmp_path / "data", actions=again) as github:
        later = Hub(github, again, hub.repository, hub.ada, hub.make)
        later.until(
            lambda: any("\nup" in later.log(j) for j in later.jobs(later.runs()[0]).values())
        )
        (run,) = later.runs()
        assert (run.status, run.attempt) == ("in_progress", 1)
        again.cancel(run)
        assert later.completed()[0].conclusion == "cancelled"


def test_generated_code_in_a_workflow_is_contained(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    database = tmp_path / "data" / "embedded.sqlite3"
    assert database.exists()
    hub.workflow(
        job(
            f"run: curl -sS -m 3 {hub.github.url} || echo no network",
            f"run: ls {database} {tmp_path / 'data' / 'repositories'} || echo no data",
            "run: env; cat /proc/*/environ | tr '\\0' '\\n' || true",
            'run: touch /usr/x /etc/x "$EMBEDDED_TOOLBOX/x" || echo read-only',
        )
    )
    (run,) = hub.completed()
    assert run.conclusion == "success"
    log = hub.log(hub.jobs(run)["build"])
    assert "no network" in log
    assert "no data" in log
    assert log.count("Read-only file system") == 3
    assert "sk-very-secret" not in log


def test_the_token_is_never_in_what_is_kept(hub: Hub) -> None:
    hub.workflow(
        job(
            "run: echo token ${{ github.token }}; echo ${{ github.token }} >> $GITHUB_STEP_SUMMARY",
            "run: echo '::error::${{ secrets.GITHUB_TOKEN }}'",
        )
    )
    (run,) = hub.completed()
    build = hub.jobs(run)["build"]
    kept = hub.store.actions.log(build) + json.dumps(build.steps)
    check = hub.store.tables.check_runs.get(build.id)
    kept += json.dumps(check.output) + json.dumps(check.annotations)
    assert "token ***" in kept
    assert "ghs_" not in kept
    assert not hub.store.tables.tokens.find(kind="workflow")


def test_act_cannot_be_configured_by_the_repository(hub: Hub) -> None:
    hub.push(
        {
            ".actrc": "--dryrun\n--env LEAK=actrc\n",
            ".env": "LEAK=env\n",
            ".secrets": "LEAK=secret\n",
            ".vars": "LEAK=var\n",
            ".input": "LEAK=input\n",
        }
    )
    hub.workflow(job("run: echo really ran [$LEAK${{ secrets.LEAK }}${{ vars.LEAK }}]"))
    (run,) = hub.completed()
    assert "really ran []" in hub.log(hub.jobs(run)["build"])


def test_limits_end_a_run_and_say_so(hub: Hub) -> None:
    hub.workflow(job("run: yes"))
    (run,) = hub.completed()
    assert run.conclusion == "failure"
    assert "it printed more than 4 MiB" in hub.log(hub.jobs(run)["build"])


def test_an_artifact_that_is_a_link_is_left_out(hub: Hub, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret of the machine")
    hub.workflow(
        job(
            "run: mkdir -p $EMBEDDED_ARTIFACTS/a; cd $EMBEDDED_ARTIFACTS/a;"
            f" ln -s {secret} link; mkfifo pipe; echo x > plain; ln -s / ../whole"
        )
    )
    (run,) = hub.completed()
    (artifact,) = hub.store.actions.artifacts(run)
    with zipfile.ZipFile(io.BytesIO(hub.store.actions.artifact_data(artifact))) as archive:
        assert archive.namelist() == ["plain"]


@pytest.mark.parametrize("name", ["../up", "a/b", "x" * 20])
def test_names_of_artifacts_are_checked(hub: Hub, name: str) -> None:
    step = f"{{uses: actions/upload-artifact@v4, with: {{name: {name!r}, path: f.txt}}}}"
    hub.workflow(job("run: echo 1 > f.txt", step))
    (run,) = hub.completed()
    found = [artifact.name for artifact in hub.store.actions.artifacts(run)]
    assert found == ([name] if name.startswith("x") else [])
    assert run.conclusion == ("success" if found else "failure")


def test_a_deleted_branch_and_a_disabled_workflow_start_nothing(hub: Hub) -> None:
    hub.workflow(job("run: 'true'"))
    (run,) = hub.completed()
    hub.push({"x": "x"}, branch="gone")
    hub.completed(2)
    git = hub.store.git(hub.repository)
    old = git.refs()["refs/heads/gone"]
    git.delete_ref("refs/heads/gone")
    hub.store.record_push(hub.repository, hub.ada, [RefUpdate("refs/heads/gone", old, "0" * 40)])
    workflow = hub.store.tables.workflows.get(run.workflow_id)
    hub.store.actions.set_workflow_state(workflow, "disabled_manually")
    hub.push({"y": "y"})
    hub.store.actions.set_workflow_state(hub.store.tables.workflows.get(run.workflow_id), "active")
    hub.push({"z": "z"}, branch="last")
    hub.until(lambda: bool(hub.runs(head_branch="last", status="completed")))
    assert [run.head_branch for run in hub.runs()][:2] == ["main", "gone"]


def test_requirements_that_cannot_be_had_fail_the_run_with_a_reason(
    tmp_path: Path, hub: Hub
) -> None:
    def refuse(lines: tuple[str, ...]):  # type: ignore[no-untyped-def]
        raise RepowrightError(f"no wheel of {lines[0]}", where="requirements", hint="another one")

    hub.github.stop()
    actions = hub.make(prepare=refuse)
    with EmbeddedGitHub(tmp_path / "second", actions=actions) as github:
        ada = Actor(github.store.accounts.create("ada", email="ada@example.org"))
        repository = github.store.repositories.create(ada.user, "shop")
        second = Hub(github, actions, repository, ada, hub.make)
        second.push({"requirements.txt": "nowhere>=1\n"})
        second.workflow(job("run: python --version"))
        (run,) = second.completed()
        assert run.conclusion == "failure"
        (only,) = second.jobs(run).values()
        assert "requirements: no wheel of nowhere>=1 (another one)" in second.log(only)


def test_disk_is_limited_and_nothing_stays(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    # Many files, none of which comes near the limit of a single one.
    hub.workflow(job("run: n=0; while true; do n=$((n+1)); head -c 9000000 /dev/zero > f$n; done"))
    (run,) = hub.completed()
    assert "it wrote more than 64 MiB" in hub.log(hub.jobs(run)["build"])
    assert list(scratch.iterdir()) == []


def test_a_person_may_choose_to_run_without_a_sandbox(tmp_path: Path, hub: Hub) -> None:
    hub.github.stop()
    actions = hub.make(box=NoSandbox())
    with EmbeddedGitHub(tmp_path / "second", actions=actions) as github:
        ada = Actor(github.store.accounts.create("ada", email="ada@example.org"))
        repository = github.store.repositories.create(ada.user, "shop")
        second = Hub(github, actions, repository, ada, hub.make)
        second.workflow(job("run: echo > f", "{uses: actions/upload-artifact@v4, with: {path: f}}"))
        (run,) = second.completed()
        assert run.conclusion == "success"
        assert [a.name for a in github.store.actions.artifacts(run)] == ["artifact"]


def test_times_of_steps_and_log_agree(hub: Hub) -> None:
    hub.workflow(job("run: echo one", "run: echo two"))
    (run,) = hub.completed()
    build = hub.jobs(run)["build"]
    second = next(step for step in build.steps if step["name"] == "Run echo two")
    line = next(row for row in hub.store.actions.log(build).splitlines() if row.endswith(" two"))
    stamp = datetime.fromisoformat(line.partition(" ")[0])
    assert datetime.fromisoformat(second["started_at"]) <= stamp <= datetime.now(UTC)
