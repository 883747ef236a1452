"""The whole way of a change, through the real PyGithub and real git."""

import io
import zipfile

from embedded_world import World


def test_a_change_from_empty_repository_to_merged_pull_request(world: World) -> None:
    client = world.client()
    repository = client.get_user().create_repo("box", description="A box")
    assert repository.full_name == "maintainer/box"
    issue = repository.create_issue("Make a box", "It has\r\na lid.", labels=["bug"])
    assert issue.body == "It has\r\na lid."
    assert [label.name for label in issue.labels] == ["bug"]

    clone = world.folder / "box"
    world.git("init", "-q", "-b", "main", str(clone))
    world.git("remote", "add", "origin", world.remote(name="maintainer/box"), cwd=clone)
    world.commit(clone, {"box.py": "lid = 1\n"})
    assert world.git("push", "-q", "origin", "main", cwd=clone).returncode == 0
    world.git("checkout", "-q", "-b", "work", cwd=clone)
    head = world.commit(clone, {"box.py": "lid = 2\n", "docs/new.md": "new\n"})
    assert world.git("push", "-q", "origin", "work", cwd=clone).returncode == 0

    pull = repository.create_pull(
        title="Open", body=f"Closes #{issue.number}", head="work", base="main"
    )
    assert (pull.head.sha, pull.mergeable, pull.commits) == (head, True, 1)
    assert {f.filename: f.status for f in pull.get_files()} == {
        "box.py": "modified",
        "docs/new.md": "added",
    }
    review = pull.create_review(
        body="Two notes",
        event="COMMENT",
        comments=[
            {"path": "box.py", "line": 1, "body": "why two?"},
            {"path": "docs/new.md", "line": 1, "side": "RIGHT", "body": "say more"},
        ],
    )
    assert review.state == "COMMENTED"
    assert [(c.path, c.line, c.body) for c in pull.get_review_comments()] == [
        ("box.py", 1, "why two?"),
        ("docs/new.md", 1, "say more"),
    ]

    merged = pull.merge(merge_method="squash")
    assert merged.merged
    assert repository.get_pull(pull.number).merged
    assert repository.get_contents("docs/new.md").decoded_content == b"new\n"
    assert repository.get_commits()[0].commit.message.startswith("Open (#2)")
    assert repository.get_issue(issue.number).state == "closed"


def test_check_runs_and_artifact_of_a_workflow_run(world: World) -> None:
    repository = world.filled()
    sha = repository.get_branch("work").commit.sha
    store = world.github.store
    row = world.seeded.repository
    workflow = store.actions.workflow(row, ".github/workflows/ci.yml", "CI")
    run = store.actions.create_run(
        row, workflow, world.actor, event="push", head_sha=sha, head_branch="work"
    )
    job = store.actions.create_job(row, run, "test")
    store.actions.append_log(job, "collected 3 items\n")
    store.actions.create_artifact(row, run, "report", _zip({"report.xml": "<testsuite/>"}))

    seen = repository.get_workflow_run(run.id)
    assert (seen.status, seen.conclusion) == ("queued", None)
    assert world.call("GET", f"repos/{row.full_name}/actions/runs/{run.id}/logs").status_code == 404

    store.actions.update_job(row, job, status="in_progress")
    store.actions.update_job(row, job, status="completed", conclusion="failure")
    store.actions.update_run(row, run, status="completed", conclusion="failure")

    seen = repository.get_workflow_runs(head_sha=sha)[0]
    assert (seen.name, seen.status, seen.conclusion) == ("CI", "completed", "failure")
    checks = list(repository.get_commit(sha).get_check_runs())
    assert [(c.name, c.conclusion, c.app.slug) for c in checks] == [
        ("test", "failure", "github-actions")
    ]
    assert [(j.name, j.conclusion) for j in seen.jobs()] == [("test", "failure")]
    artifact = seen.get_artifacts()[0]
    assert artifact.name == "report"
    archive = world.call("GET", artifact.archive_download_url.split("/api/v3/")[1]).content
    assert zipfile.ZipFile(io.BytesIO(archive)).read("report.xml") == b"<testsuite/>"
    logs = world.call("GET", f"repos/{row.full_name}/actions/runs/{run.id}/logs").content
    assert zipfile.ZipFile(io.BytesIO(logs)).read("0_test.txt") == b"collected 3 items\n"


def test_artifacts_and_logs_expire(world: World) -> None:
    repository = world.filled()
    store, row = world.github.store, world.seeded.repository
    sha = repository.get_branch("main").commit.sha
    workflow = store.actions.workflow(row, ".github/workflows/ci.yml", "CI")
    run = store.actions.create_run(
        row,
        workflow,
        world.actor,
        event="push",
        head_sha=sha,
        head_branch="main",
    )
    artifact = store.actions.create_artifact(row, run, "report", _zip({"a": "b"}))
    path = f"repos/{row.full_name}/actions/artifacts/{artifact.id}"
    assert world.call("GET", f"{path}/zip", token=None).status_code == 401
    job = store.actions.create_job(row, run, "test")
    store.actions.update_job(row, job, status="completed", conclusion="success")
    store.actions.update_run(row, run, status="completed", conclusion="success")
    log = f"repos/{row.full_name}/actions/jobs/{job.id}/logs"
    assert world.call("GET", log).status_code == 200
    world.clock.advance(days=91)
    assert world.call("GET", log).status_code == 410
    assert world.call("GET", f"{path}/zip").status_code == 410
    assert world.call("GET", path).json()["expired"] is True


def _zip(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()
