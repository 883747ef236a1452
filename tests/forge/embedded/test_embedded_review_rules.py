"""GitHub's rules about pull requests, reviews and checks."""

from typing import Any

import pytest
from embedded_world import World
from github import GithubException
from github.PullRequest import PullRequest


@pytest.fixture
def pull(world: World) -> PullRequest:
    return world.filled().create_pull(title="Change", body="…", head="work", base="main")


@pytest.mark.parametrize("event", ["APPROVE", "REQUEST_CHANGES"])
def test_an_author_cannot_judge_the_own_pull_request(
    world: World, pull: PullRequest, event: str
) -> None:
    with pytest.raises(GithubException) as error:
        pull.create_review(body="Fine", event=event)
    assert error.value.status == 422
    assert "your own pull request" in error.value.data["errors"][0]
    assert pull.create_review(body="A note", event="COMMENT").state == "COMMENTED"
    other = world.repository(world.stranger).get_pull(pull.number)
    assert other.create_review(body="Yes", event=event).state in ("APPROVED", "CHANGES_REQUESTED")


@pytest.mark.parametrize(
    "outside",
    [
        {"path": "app.py", "line": 1, "body": "far above the hunk"},
        {"path": "app.py", "line": 99, "body": "past the end"},
        {"path": "other.py", "line": 1, "body": "not in the diff"},
        {"path": "app.py", "position": 50, "body": "past the patch"},
        {"path": "app.py", "line": 15, "start_line": 2, "body": "starts outside"},
    ],
)
def test_one_comment_outside_the_diff_refuses_the_whole_review(
    pull: PullRequest, outside: dict[str, Any]
) -> None:
    inside = {"path": "app.py", "line": 15, "body": "here"}
    with pytest.raises(GithubException) as error:
        pull.create_review(body="Look", event="COMMENT", comments=[inside, outside])
    assert error.value.status == 422
    assert "could not be resolved" in error.value.data["errors"][0]
    assert pull.get_reviews().totalCount == 0
    assert pull.get_review_comments().totalCount == 0


def test_comments_on_both_sides_context_lines_and_ranges(pull: PullRequest) -> None:
    pull.create_review(
        event="COMMENT",
        comments=[
            {"path": "app.py", "line": 15, "side": "RIGHT", "body": "new"},
            {"path": "app.py", "line": 15, "side": "LEFT", "body": "old"},
            {"path": "app.py", "line": 12, "body": "context"},
            {"path": "app.py", "start_line": 13, "line": 16, "body": "range"},
        ],
    )
    found = [(c.body, c.line, c.side, c.start_line) for c in pull.get_review_comments()]
    assert found == [
        ("new", 15, "RIGHT", None),
        ("old", 15, "LEFT", None),
        ("context", 12, "RIGHT", None),
        ("range", 16, "RIGHT", 13),
    ]
    assert pull.get_review_comments()[0].diff_hunk.endswith("+line fifteen")


def test_a_single_inline_comment_and_its_reply(pull: PullRequest) -> None:
    commit = pull.get_commits()[0]
    comment = pull.create_review_comment("why?", commit, "app.py", line=15)
    reply = pull.create_review_comment_reply(comment.id, "because")
    assert reply.in_reply_to_id == comment.id
    with pytest.raises(GithubException) as error:
        pull.create_review_comment("where?", commit, "app.py", line=1)
    assert error.value.status == 422
    assert error.value.data["errors"][0]["field"] == "pull_request_review_thread.line"


def test_a_moved_line_makes_a_comment_outdated(world: World, pull: PullRequest) -> None:
    pull.create_review(event="COMMENT", comments=[{"path": "app.py", "line": 15, "body": "here"}])
    repository = world.repository()
    entry = repository.get_contents("app.py", ref="work")
    text = entry.decoded_content.decode().replace("line fifteen", "line XV")
    repository.update_file("app.py", "Again", text, entry.sha, branch="work")
    comment = pull.get_review_comments()[0]
    assert comment.raw_data["line"] is None
    assert comment.raw_data["original_line"] == 15


def test_a_review_body_is_limited(pull: PullRequest) -> None:
    with pytest.raises(GithubException) as error:
        pull.create_review(body="x" * 65_537, event="COMMENT")
    assert error.value.status == 422
    assert pull.get_reviews().totalCount == 0


def test_pull_requests_that_cannot_be(world: World, pull: PullRequest) -> None:
    repository = world.repository()
    for head, base, words in (
        ("work", "main", "A pull request already exists for maintainer:work."),
        ("main", "main", "No commits between main and main"),
        ("missing", "main", "invalid"),
        ("work", "missing", "invalid"),
    ):
        with pytest.raises(GithubException) as error:
            repository.create_pull(title="Again", body="", head=head, base=base)
        assert error.value.status == 422
        assert words in str(error.value.data)


def test_drafts_conflicts_and_moved_heads_are_not_merged(world: World) -> None:
    repository = world.filled()
    pull = repository.create_pull(title="Draft", body="", head="work", base="main", draft=True)
    assert pull.mergeable_state == "draft"
    with pytest.raises(GithubException) as error:
        pull.merge()
    assert error.value.status == 405
    row = world.seeded.repository
    store = world.github.store
    store.pulls.set_draft(row, store.pulls.find(row, pull.number), world.actor, False)
    with pytest.raises(GithubException) as error:
        pull.merge(sha=repository.get_branch("main").commit.sha)
    assert error.value.status == 409
    entry = repository.get_contents("app.py")
    text = entry.decoded_content.decode().replace("line 15", "line 15b")
    repository.update_file("app.py", "Conflict", text, entry.sha)
    assert repository.get_pull(pull.number).mergeable is False
    with pytest.raises(GithubException) as error:
        pull.merge()
    assert error.value.status == 405


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_merging(world: World, pull: PullRequest, method: str) -> None:
    assert pull.merge(merge_method=method).merged
    repository = world.repository()
    assert b"line fifteen" in repository.get_contents("app.py").decoded_content
    merged = repository.get_pull(pull.number)
    assert (merged.merged, merged.state, merged.merged_by.login) == (True, "closed", "maintainer")
    parents = len(repository.get_branch("main").commit.parents)
    assert parents == (2 if method == "merge" else 1)


def test_check_runs_are_for_apps_only(world: World, pull: PullRequest) -> None:
    body = {"name": "repowright / judge", "head_sha": pull.head.sha}
    path = "repos/maintainer/project/check-runs"
    refused = world.call("POST", path, json=body)
    assert refused.status_code == 403
    assert refused.json()["message"] == "You must authenticate via a GitHub App."
    run = world.repository(world.app).create_check_run(
        "repowright / judge",
        pull.head.sha,
        status="completed",
        conclusion="neutral",
        output={
            "title": "Revise",
            "summary": "s" * 65_535,
            "annotations": [
                {
                    "path": "app.py",
                    "start_line": 15,
                    "end_line": 15,
                    "annotation_level": "warning",
                    "message": "look",
                }
            ],
        },
    )
    assert (run.conclusion, run.output.annotations_count) == ("neutral", 1)
    assert run.get_annotations()[0].message == "look"
    assert world.repository().get_commit(pull.head.sha).get_check_runs()[0].app.slug == "repowright"


@pytest.mark.parametrize("part", ["summary", "text"])
def test_a_check_runs_text_is_limited(world: World, pull: PullRequest, part: str) -> None:
    output = {"title": "t", "summary": "s", part: "x" * 65_536}
    refused = world.call(
        "POST",
        "repos/maintainer/project/check-runs",
        token=world.app_token(),
        json={"name": "judge", "head_sha": pull.head.sha, "output": output},
    )
    assert refused.status_code == 422
    assert "Only 65535 characters are allowed" in refused.json()["message"]
    assert world.repository().get_commit(pull.head.sha).get_check_runs().totalCount == 0


def test_commit_statuses_combine(world: World, pull: PullRequest) -> None:
    commit = world.repository().get_commit(pull.head.sha)
    assert commit.get_combined_status().state == "pending"
    commit.create_status("success", context="a")
    commit.create_status("failure", context="b")
    assert commit.get_combined_status().state == "failure"
    commit.create_status("success", context="b")
    combined = commit.get_combined_status()
    assert (combined.state, combined.total_count) == ("success", 2)
