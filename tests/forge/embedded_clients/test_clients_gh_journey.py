"""The whole way with the real `gh`: a repository, an issue, a reviewed and merged pull request."""

import json
from pathlib import Path

from clients_people import Person, commit_all, finished_run

from bot.forge.embedded.server import EmbeddedGitHub

CHANGED = "def greet(name):\n    return f'hello {name}'\n\n\nprint(greet('you'))\n"


def test_from_nothing_to_a_merged_pull_request(
    github: EmbeddedGitHub, octavia: Person, rufus: Person
) -> None:
    clone = _create_repository(octavia)
    _open_issue(octavia, clone)
    _open_pull_request(octavia, clone)
    _review(octavia, rufus, clone)
    _read_checks_and_artifact(github, octavia, clone)
    _merge(octavia, clone)


def _create_repository(octavia: Person) -> Path:
    clone = octavia.home / "demo"
    clone.mkdir()
    octavia.git("init", "-q", "-b", "main", cwd=clone)
    (clone / "hello.py").write_text("print('hello')\n")
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
    shown = octavia.gh_json(
        "pr", "view", "--json",
        "number,isDraft,files,closingIssuesReferences,mergeable,mergeStateStatus", cwd=clone,
    )  # fmt: skip
    assert (shown["number"], shown["isDraft"]) == (2, False)
    assert [file["path"] for file in shown["files"]] == ["hello.py"]
    assert [issue["number"] for issue in shown["closingIssuesReferences"]] == [1]
    assert (shown["mergeable"], shown["mergeStateStatus"]) == ("MERGEABLE", "CLEAN")


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


def _read_checks_and_artifact(github: EmbeddedGitHub, octavia: Person, clone: Path) -> None:
    run_id = finished_run(github, octavia, "demo", octavia.git("rev-parse", "HEAD", cwd=clone))
    checks = octavia.gh_json("pr", "checks", "2", "--json", "name,bucket,workflow", cwd=clone)
    assert checks == [{"bucket": "pass", "name": "test", "workflow": "Check"}]
    runs = octavia.gh_json("run", "list", "--json", "databaseId,conclusion,name", cwd=clone)
    assert runs == [{"conclusion": "success", "databaseId": run_id, "name": "Check"}]
    assert "checked" in octavia.gh("run", "view", str(run_id), "--log", cwd=clone)
    octavia.gh("run", "download", str(run_id), "-n", "report", "-D", "reports", cwd=clone)
    assert (clone / "reports" / "report.txt").read_text() == "1 passed\n"


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
