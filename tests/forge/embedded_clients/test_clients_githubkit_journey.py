"""The whole way with githubkit, whose answers are checked against GitHub's own schemas."""

import io
import time
from pathlib import Path
from zipfile import ZipFile

import pytest
from clients_people import CHANGED, Person, commit_all, person, write_project
from githubkit import GitHub, TokenAuthStrategy
from githubkit.exception import RequestFailed

from bot.forge.embedded.server import EmbeddedGitHub

READY = """
mutation Ready($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}
"""


def client(github: EmbeddedGitHub, person: Person) -> GitHub[TokenAuthStrategy]:
    """As docs/embedded-clients.md says; a slash ends the base address."""
    return GitHub(TokenAuthStrategy(person.token), base_url=f"{github.api_url}/")


def test_from_nothing_to_a_reviewed_pull_request(
    github_with_actions: EmbeddedGitHub, tmp_path: Path
) -> None:
    github = github_with_actions
    octavia = person(github, tmp_path, "octavia", email="octavia@example.com")
    rufus = person(github, tmp_path, "rufus")
    mine, theirs = client(github, octavia), client(github, rufus)
    clone = _create_repository(mine, octavia)
    _open_issue(mine)
    _open_pull_request(mine, octavia, clone)
    _review(mine, theirs)
    _read_checks_and_artifact(mine, octavia, clone)
    merged = mine.rest.pulls.merge("octavia", "kit", 2, merge_method="merge").parsed_data
    assert merged.merged
    assert mine.rest.pulls.get("octavia", "kit", 2).parsed_data.merged


def _create_repository(mine: GitHub[TokenAuthStrategy], octavia: Person) -> Path:
    created = mine.rest.repos.create_for_authenticated_user(name="kit", private=True).parsed_data
    assert (created.full_name, created.private) == ("octavia/kit", True)
    octavia.git("clone", "-q", created.clone_url, "kit", cwd=octavia.home)
    clone = octavia.home / "kit"
    write_project(clone)
    commit_all(octavia, clone, "Say hello")
    octavia.git("push", "-q", "origin", "HEAD:main", cwd=clone)
    assert [b.name for b in mine.rest.repos.list_branches("octavia", "kit").parsed_data] == ["main"]
    return clone


def _open_issue(mine: GitHub[TokenAuthStrategy]) -> None:
    issue = mine.rest.issues.create("octavia", "kit", title="Greet", labels=["bug"]).parsed_data
    mine.rest.issues.create_comment("octavia", "kit", issue.number, body="On it.")
    pages = mine.rest.paginate(
        mine.rest.issues.list_comments, owner="octavia", repo="kit", issue_number=issue.number
    )
    assert [comment.body for comment in pages] == ["On it."]


def _open_pull_request(mine: GitHub[TokenAuthStrategy], octavia: Person, clone: Path) -> None:
    octavia.git("switch", "-q", "-c", "greet", cwd=clone)
    (clone / "hello.py").write_text(CHANGED)
    commit_all(octavia, clone, "Greet by name")
    octavia.git("push", "-q", "origin", "greet", cwd=clone)
    pull = mine.rest.pulls.create(
        "octavia", "kit", title="Greet", head="greet", base="main", draft=True, body="Fixes #1"
    ).parsed_data
    assert (pull.number, pull.draft) == (2, True)
    assert mine.graphql(READY, {"id": pull.node_id}) == {
        "markPullRequestReadyForReview": {"pullRequest": {"isDraft": False}}
    }
    assert mine.rest.pulls.get("octavia", "kit", 2).parsed_data.draft is False


def _review(mine: GitHub[TokenAuthStrategy], theirs: GitHub[TokenAuthStrategy]) -> None:
    mine.rest.repos.add_collaborator("octavia", "kit", "rufus", permission="push")
    with pytest.raises(RequestFailed) as refused:
        mine.rest.pulls.create_review("octavia", "kit", 2, event="APPROVE")
    assert refused.value.response.status_code == 422
    review = theirs.rest.pulls.create_review(
        "octavia", "kit", 2,
        event="APPROVE", body="Good.", comments=[{"path": "hello.py", "line": 2, "body": "Nice."}],
    ).parsed_data  # fmt: skip
    assert review.state == "APPROVED"
    inline = mine.rest.pulls.list_review_comments("octavia", "kit", 2).parsed_data
    assert [(c.path, c.line, c.body) for c in inline] == [("hello.py", 2, "Nice.")]


def _read_checks_and_artifact(
    mine: GitHub[TokenAuthStrategy], octavia: Person, clone: Path
) -> None:
    head = octavia.git("rev-parse", "HEAD", cwd=clone)
    run_id = _completed_run(mine, head)
    checks = mine.rest.checks.list_for_ref("octavia", "kit", head).parsed_data
    assert [(run.name, run.conclusion) for run in checks.check_runs] == [("test", "success")]
    artifacts = mine.rest.actions.list_workflow_run_artifacts("octavia", "kit", run_id).parsed_data
    assert [artifact.name for artifact in artifacts.artifacts] == ["report"]
    packed = mine.rest.actions.download_artifact("octavia", "kit", artifacts.artifacts[0].id, "zip")
    with ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.read("report.txt") == b"hello you\n"


def _completed_run(mine: GitHub[TokenAuthStrategy], head: str) -> int:
    deadline = time.monotonic() + 90
    while True:
        [run] = mine.rest.actions.list_workflow_runs_for_repo(
            "octavia", "kit", head_sha=head
        ).parsed_data.workflow_runs
        if run.status == "completed":
            assert run.conclusion == "success"
            return run.id
        assert time.monotonic() < deadline, "the run did not complete in time"
        time.sleep(0.2)
