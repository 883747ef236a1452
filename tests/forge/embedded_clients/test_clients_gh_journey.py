"""The whole way with the real `gh`: a repository, an issue, a reviewed and merged pull request."""

import json
from pathlib import Path

from clients_people import CHANGED, Person, commit_all, person, write_project

from bot.forge.embedded.server import EmbeddedGitHub


def test_from_nothing_to_a_merged_pull_request(
    github_with_actions: EmbeddedGitHub, tmp_path: Path
) -> None:
    octavia = person(github_with_actions, tmp_path, "octavia", email="octavia@example.com")
    rufus = person(github_with_actions, tmp_path, "rufus")
    clone = _create_repository(octavia)
    _open_issue(octavia, clone)
    _open_pull_request(octavia, clone)
    _review(octavia, rufus, clone)
    _read_checks_and_artifact(octavia, clone)
    _dispatch(octavia, clone)
    _merge(octavia, clone)


def _create_repository(octavia: Person) -> Path:
    clone = octavia.home / "demo"
    clone.mkdir()
    octavia.git("init", "-q", "-b", "main", cwd=clone)
    write_project(clone)
    commit_all(octavia, clone, "Say hello")
    created = octavia.gh(
        "repo", "create", "demo", "--public", "--source=.", "--push", "-d", "A demo", cwd=clone
    )
    assert created.splitlines()[0] == f"{octavia.web}/octavia/demo"
    shown = octavia.gh_json(
        "repo", "view", "--json", "nameWithOwner,isEmpty,description,defaultBranchRef", cwd=clone
    )
    assert shown == {
        "nameWithOwner": "octavia/demo",
        "isEmpty": False,
        "description": "A demo",
        "defaultBranchRef": {"name": "main"},
    }
    return clone


def _open_issue(octavia: Person, clone: Path) -> None:
    address = octavia.gh(
        "issue", "create", "-t", "Greet by name", "-b", "Please.", "-l", "bug", "-a", "@me",
        cwd=clone,
    ).strip()  # fmt: skip
    assert address == f"{octavia.web}/octavia/demo/issues/1"
    octavia.gh("issue", "comment", "1", "-b", "I will do it.", cwd=clone)
    shown = octavia.gh_json(
        "issue", "view", "1", "--json", "title,body,labels,assignees,comments", cwd=clone
    )
    assert (shown["title"], shown["body"]) == ("Greet by name", "Please.")
    assert [label["name"] for label in shown["labels"]] == ["bug"]
    assert [person["login"] for person in shown["assignees"]] == ["octavia"]
    assert [comment["body"] for comment in shown["comments"]] == ["I will do it."]
    assert "Greet by name" in octavia.gh("issue", "list", cwd=clone)


def _open_pull_request(octavia: Person, clone: Path) -> None:
    octavia.git("switch", "-q", "-c", "greet", cwd=clone)
    (clone / "hello.py").write_text(CHANGED)
    commit_all(octavia, clone, "Greet by name")
    octavia.git("push", "-q", "-u", "origin", "greet", cwd=clone)
    address = octavia.gh("pr", "create", "--draft", "-t", "Greet", "-b", "Fixes #1", cwd=clone)
    assert address.strip() == f"{octavia.web}/octavia/demo/pull/2"
    assert "+def greet(name):" in octavia.gh("pr", "diff", "2", cwd=clone)
    octavia.gh("pr", "ready", "2", cwd=clone)
    shown = octavia.gh_json("pr", "view", "--json", "number,isDraft,files", cwd=clone)
    assert (shown["number"], shown["isDraft"]) == (2, False)
    assert [file["path"] for file in shown["files"]] == ["hello.py"]


def _review(octavia: Person, rufus: Person, clone: Path) -> None:
    refused = octavia.try_gh("pr", "review", "2", "--approve", cwd=clone)
    assert refused.returncode == 1
    assert "Can not approve your own pull request" in refused.stderr
    review = {
        "event": "REQUEST_CHANGES",
        "body": "Nearly.",
        "comments": [{"path": "hello.py", "line": 2, "body": "Say it louder."}],
    }
    rufus.gh(
        "api", "-X", "POST", "repos/octavia/demo/pulls/2/reviews", "--input", "-",
        stdin=json.dumps(review),
    )  # fmt: skip
    inline = octavia.gh_json("api", "repos/octavia/demo/pulls/2/comments", cwd=clone)
    assert [(c["path"], c["line"], c["body"], c["user"]["login"]) for c in inline] == [
        ("hello.py", 2, "Say it louder.", "rufus")
    ]
    rufus.gh("pr", "review", "2", "-R", "octavia/demo", "--approve", "-b", "Good enough.")
    shown = octavia.gh_json("pr", "view", "2", "--json", "reviews,latestReviews", cwd=clone)
    assert [(r["author"]["login"], r["state"]) for r in shown["reviews"]] == [
        ("rufus", "CHANGES_REQUESTED"),
        ("rufus", "APPROVED"),
    ]
    assert [review["body"] for review in shown["latestReviews"]] == ["Good enough."]


def _read_checks_and_artifact(octavia: Person, clone: Path) -> None:
    run_id = _watched(octavia, clone, "--branch", "greet")
    checks = octavia.gh_json("pr", "checks", "2", "--json", "name,bucket,workflow", cwd=clone)
    assert checks == [{"bucket": "pass", "name": "test", "workflow": "Check"}]
    assert "hello you" in octavia.gh("run", "view", run_id, "--log", cwd=clone)
    octavia.gh("run", "download", run_id, "-n", "report", "-D", "reports", cwd=clone)
    assert (clone / "reports" / "report.txt").read_text() == "hello you\n"
    shown = octavia.gh_json("pr", "view", "2", "--json", "mergeable,mergeStateStatus", cwd=clone)
    assert shown == {"mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN"}


def _dispatch(octavia: Person, clone: Path) -> None:
    assert "Check" in octavia.gh("workflow", "list", cwd=clone)
    octavia.gh("workflow", "run", "check.yml", "--ref", "main", cwd=clone)
    run_id = _watched(octavia, clone, "--event", "workflow_dispatch")
    jobs = octavia.gh_json("run", "view", run_id, "--json", "jobs", cwd=clone)["jobs"]
    assert [(job["name"], job["conclusion"]) for job in jobs] == [("test", "success")]


def _watched(octavia: Person, clone: Path, *which: str) -> str:
    """Wait until the one run of this kind has succeeded."""
    [run] = octavia.gh_json("run", "list", *which, "--json", "databaseId", cwd=clone)
    run_id = str(run["databaseId"])
    octavia.gh("run", "watch", run_id, "--interval", "1", "--exit-status", cwd=clone)
    return run_id


def _merge(octavia: Person, clone: Path) -> None:
    octavia.gh("pr", "merge", "2", "--squash", "--delete-branch", cwd=clone)
    shown = octavia.gh_json("pr", "view", "2", "--json", "state,mergedBy", cwd=clone)
    assert (shown["state"], shown["mergedBy"]["login"]) == ("MERGED", "octavia")
    closed = octavia.gh_json("issue", "list", "--state", "closed", "--json", "number", cwd=clone)
    assert closed == [{"number": 1}]
    octavia.gh("issue", "reopen", "1", "-c", "Not loud enough.", cwd=clone)
    octavia.gh("issue", "close", "1", "-r", "not planned", cwd=clone)
    shown = octavia.gh_json("issue", "view", "1", "--json", "state,stateReason", cwd=clone)
    assert shown == {"state": "CLOSED", "stateReason": "NOT_PLANNED"}
    assert octavia.git("log", "-1", "--format=%s", "origin/main", cwd=clone) == "Greet (#2)"
    assert octavia.git("ls-remote", "--heads", "origin", "greet", cwd=clone) == ""
