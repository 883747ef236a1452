"""The forge port against the embedded GitHub: what people on the repository see."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.reviews import InlineComment
from bot.ports.forge import CheckAnnotation, ForgeError, ReviewComment
from bot.ports.git import BranchMoved, GitError

MARK = "run1:code.2"


def issue_of_ann(world, body: str = "please\r\n"):
    return world.store.issues.create(world.lamp, Actor(world.ann), "A lamp", body)


def pull_of(world, credentials=None):
    world.main = world.seed()
    world.head = world.work(world.main)
    return world.forge(credentials).open_pull_request(
        MARK, head="work", base="main", title="Add the lamp", body="For #1", draft=True
    )


def test_an_empty_repository_is_given_its_first_commit(world) -> None:
    forge = world.forge()
    assert forge.repository().empty
    store = world.clone()
    store.fetch()
    assert store.head("main") is None
    first = forge.first_commit(MARK, "docs/über uns.md", "# Lamp\n")
    repository = forge.repository()
    assert (repository.empty, repository.default_branch) == (False, "main")
    store.fetch()
    assert store.head("main") == first
    assert store.read(first) == {"docs/über uns.md": b"# Lamp\n"}


def test_a_repository_with_commits_is_left_as_it_is(world) -> None:
    main = world.seed()
    assert world.forge().first_commit("other:1", "README.md", "other") == main


def test_an_issue_is_read_as_its_author_wrote_it(world) -> None:
    issue = issue_of_ann(world)
    for number in range(130):
        world.store.issues.comment(world.lamp, issue, Actor(world.ann), f"more {number}")
    world.forge().comment(MARK, issue.number, "Round 1")
    read = world.forge().issue(issue.number)
    assert (read.title, read.body, read.author, read.state) == (
        "A lamp",
        "please\r\n",
        "ann",
        "open",
    )
    assert [c.body for c in read.comments[:2]] == ["more 0", "more 1"]
    assert len(read.comments) == 131
    assert [c.author_is_bot for c in read.comments[-2:]] == [False, True]
    assert read.comments[-1].author == "repowright[bot]"


def test_a_missing_issue_is_told(world) -> None:
    with pytest.raises(ForgeError, match="Issue 99 is in this repository no more"):
        world.forge().issue(99)


def test_permissions_are_those_of_the_repository(world) -> None:
    forge = world.forge()
    assert forge.permission("ann") == "admin"
    assert forge.permission("dan") == "triage"
    assert forge.permission("eve") in ("read", "none")
    assert forge.permission("nobody-at-all") == "none"
    assert forge.permission("../../x") == "none"


def test_a_comment_is_edited_in_place(world) -> None:
    issue = issue_of_ann(world)
    forge = world.forge()
    first = forge.comment(MARK, issue.number, "Round 1")
    second = forge.comment(MARK, issue.number, "Round 2")
    third = world.forge().comment(MARK, issue.number, "Round 3")
    assert first.id == second.id == third.id
    assert "Round 3" in third.body
    other = forge.comment("run1:code.3", issue.number, "Another step")
    assert other.id != first.id
    assert len(world.store.issues.comments(issue)) == 2


def test_a_deleted_comment_is_written_anew(world) -> None:
    issue = issue_of_ann(world)
    forge = world.forge()
    forge.comment(MARK, issue.number, "Round 1")
    row = world.store.issues.comments(issue)[0]
    world.store.issues.delete_comment(world.lamp, row, Actor(world.ann))
    assert "Round 2" in forge.comment(MARK, issue.number, "Round 2").body
    assert len(world.store.issues.comments(issue)) == 1


def test_a_strangers_copy_of_the_mark_is_not_ours(world) -> None:
    issue = issue_of_ann(world)
    ours = world.forge().comment(MARK, issue.number, "Round 1")
    for copy in (ours.body, f"{ours.body}\n\nnot at the end"):
        world.store.issues.comment(world.lamp, issue, Actor(world.eve), copy)
    row = world.store.issues.find_comment(world.lamp, ours.id)
    world.store.issues.delete_comment(world.lamp, row, Actor(world.ann))
    again = world.forge().comment(MARK, issue.number, "Round 2")
    bodies = [(c.author_id, c.body) for c in world.store.issues.comments(issue)]
    assert again.author == "repowright[bot]"
    assert [author for author, _ in bodies] == [world.eve.id, world.eve.id, world.bot.id]


def test_a_quoted_mark_is_not_a_mark(world) -> None:
    """The bot repeats what a model or a person wrote, with the mark of a later step in it."""
    issue = issue_of_ann(world)
    forge = world.forge()
    quoting = forge.comment("run1:1", issue.number, "said:\n\n<!-- repowright:run1:2 -->")
    assert forge.comment("run1:2", issue.number, "Next").id != quoting.id


def test_a_locked_issue_is_reported(world) -> None:
    issue = issue_of_ann(world)
    world.store.issues.lock(world.lamp, issue, Actor(world.ann), None)
    with pytest.raises(ForgeError, match="locked"):
        world.forge(world.token_of("eve")).comment(MARK, issue.number, "Round 1")


def test_a_text_over_the_limit_is_cut_and_found_again(world) -> None:
    issue = issue_of_ann(world)
    forge = world.forge()
    first = forge.comment(MARK, issue.number, "```text\n" + "long line\n" * 20_000 + "```")
    assert len(first.body) <= 65_535
    assert "This text was longer than GitHub takes" in first.body
    assert world.forge().comment(MARK, issue.number, "short").id == first.id


def test_nothing_the_bot_writes_mentions_anyone(world) -> None:
    issue = issue_of_ann(world)
    pull = world.forge()
    body = pull.comment(MARK, issue.number, "Thanks @ann\n\n/repowright cancel\n\n`@x`").body
    assert "@\u200bann" in body
    assert "/\u200brepowright cancel" in body


def test_a_pull_request_is_found_again_by_its_branch(world) -> None:
    pull = pull_of(world)
    again = world.forge().open_pull_request(
        "run2:start", head="work", base="main", title="Other", body="Other", draft=True
    )
    assert again.number == pull.number
    assert (pull.head, pull.base, pull.head_sha, pull.draft) == ("work", "main", world.head, True)
    assert world.forge().pull_request(pull.number) == pull


def test_a_closed_pull_request_of_another_run_is_not_taken(world) -> None:
    pull = pull_of(world)
    world.forge().close_pull_request(pull.number)
    again = world.forge().open_pull_request(
        "run2:start", head="work", base="main", title="Again", body="", draft=False
    )
    assert again.number != pull.number
    assert world.forge().pull_request(pull.number).state == "closed"


def test_a_pull_request_without_commits_is_told(world) -> None:
    main = world.seed()
    world.clone().commit("same", parent=main, changes={}, message="m", mark="x:1")
    with pytest.raises(ForgeError, match="refused"):
        world.forge().open_pull_request(
            MARK, head="missing", base="main", title="t", body="", draft=True
        )


def test_a_title_is_one_line_of_256_characters(world) -> None:
    pull = pull_of(world)
    forge = world.forge()
    forge.describe_pull_request(pull.number, title="two\nlines @ann " + "x" * 300, body="")
    title = forge.pull_request(pull.number).title
    assert title.startswith("two lines @\u200bann xxx")
    assert len(title) == 256


def test_comments_off_the_diff_stand_in_the_review(world) -> None:
    pull = pull_of(world)
    notes = (
        ReviewComment(path="pkg/a.py", line=3, body="here, @ann"),
        ReviewComment(path="pkg/a.py", line=31, body="after the end"),
        ReviewComment(path="README.md", line=1, body="not in this diff"),
        ReviewComment(path="../../x`|<b>", line=1, body="no such file"),
    )
    url = world.forge().review(MARK, pull.number, commit=world.head, body="Revise.", comments=notes)
    assert url.startswith(world.line.url)
    found = world.store.pulls.find(world.lamp, pull.number)
    review = world.store.reviews.of(found)[0]
    inline = [(c.path, c.line, c.body) for c in world.store.reviews.comments(review)]
    assert inline == [("pkg/a.py", 3, "here, @\u200bann")]
    assert review.state == "COMMENTED"
    for part in ("Revise.", "**pkg/a.py:31**", "after the end", "**README.md:1**", "no such file"):
        assert part in review.body


def test_a_review_of_an_earlier_commit_is_checked_against_that_commit(world) -> None:
    pull = pull_of(world)
    world.clone().commit(
        "work", parent=world.head, changes={"pkg/a.py": b"short\n"}, message="m", mark="w:2"
    )
    notes = (ReviewComment(path="pkg/a.py", line=20, body="on the old text"),)
    world.forge().review(MARK, pull.number, commit=world.head, body="Revise.", comments=notes)
    found = world.store.pulls.find(world.lamp, pull.number)
    (review,) = world.store.reviews.of(found)
    shown = review.body + "".join(c.body for c in world.store.reviews.comments(review))
    assert "on the old text" in shown


def test_many_inline_comments_are_kept_in_one_review(world) -> None:
    pull = pull_of(world)
    notes = tuple(ReviewComment(path="pkg/a.py", line=n % 30 + 1, body=f"n{n}") for n in range(40))
    world.forge().review(MARK, pull.number, commit=world.head, body="Revise.", comments=notes)
    found = world.store.pulls.find(world.lamp, pull.number)
    (review,) = world.store.reviews.of(found)
    assert len(world.store.reviews.comments(review)) == 30
    assert "n39" in review.body


@pytest.mark.parametrize("as_person", [False, True])
def test_what_people_said_is_told_apart_from_what_bots_said(world, as_person: bool) -> None:
    """Also where the bot works with a person's own token."""
    credentials = world.token_of("ann") if as_person else None
    pull = pull_of(world, credentials)
    forge = world.forge(credentials)
    notes = (ReviewComment(path="pkg/a.py", line=1, body="the bot's"),)
    forge.review(MARK, pull.number, commit=world.head, body="The judge", comments=notes)
    row = world.store.pulls.find(world.lamp, pull.number)
    world.store.reviews.create(
        world.lamp,
        row,
        Actor(world.ann),
        event="COMMENT",
        body="Rename it.",
        comments=(InlineComment(path="pkg/a.py", body="this one", line=2),),
    )
    said = forge.human_reviews(pull.number)
    assert {(r.author, r.body, r.path, r.line) for r in said} == {
        ("ann", "Rename it.", None, None),
        ("ann", "this one", "pkg/a.py", 2),
    }


def test_a_workflow_token_finds_its_own_comment(world) -> None:
    issue = issue_of_ann(world)
    first = world.forge(world.workflow_token()).comment(MARK, issue.number, "Round 1")
    again = world.forge(world.workflow_token()).comment(MARK, issue.number, "Round 2")
    assert first.author == "github-actions[bot]"
    assert again.id == first.id


def test_a_check_run_carries_verdict_and_lines(world) -> None:
    pull_of(world)
    world.forge().check_run(
        MARK,
        name="repowright / judge",
        commit=world.head,
        conclusion="neutral",
        title="Revise",
        summary="| a |\n| - |",
        annotations=(CheckAnnotation(path="pkg/a.py", line=2, level="warning", message="here"),),
    )
    (run,) = world.store.checks.runs(world.lamp, world.head)
    assert (run.name, run.status, run.conclusion) == ("repowright / judge", "completed", "neutral")


def test_a_new_mark_is_a_new_check_run(world) -> None:
    pull_of(world)
    for mark, conclusion in (("r:1", "failure"), ("r:2", "success")):
        world.forge().check_run(
            mark, name="judge", commit=world.head, conclusion=conclusion, title="t", summary="s"
        )
    assert len(world.store.checks.runs(world.lamp, world.head)) == 2


def test_a_workflow_run_is_told_by_file_and_commit(world) -> None:
    main = world.seed()
    world.run_workflows()
    forge = world.forge()
    assert forge.workflow_run("check.yml", main) is None
    assert forge.workflow_run("missing.yml", main) is None
    forge.dispatch(MARK, "check.yml", "main")
    run = forge.workflow_run("check.yml", main)
    assert run is not None
    assert (run.head_sha, run.conclusion) == (main, None)
    assert forge.workflow_run("check.yml", "0" * 40) is None
    row = world.store.actions.run(world.lamp, run.id)
    world.store.actions.create_artifact(world.lamp, row, "report", b"PK-report")
    job = world.store.actions.create_job(world.lamp, row, "check")
    world.store.actions.append_log(job, "2026-01-02T12:00:00Z it ran\n")
    world.store.actions.update_job(world.lamp, job, status="completed", conclusion="success")
    world.store.actions.update_run(world.lamp, row, status="completed", conclusion="success")
    done = forge.workflow_run("check.yml", main)
    assert done is not None and done.conclusion == "success"
    assert forge.artifact(run.id, "report") == b"PK-report"
    assert forge.artifact(run.id, "missing") is None
    assert "it ran" in forge.log(run.id)
    world.store.actions.update_run(world.lamp, row, status="completed", conclusion="skipped")
    assert forge.workflow_run("check.yml", main) is None


@pytest.mark.parametrize("name", ["../../x", "a/b.yml", "x", ""])
def test_a_bad_workflow_name_is_told(world, name: str) -> None:
    with pytest.raises(ForgeError, match="is not the name of a workflow file"):
        world.forge().workflow_run(name, "0" * 40)


def test_a_renamed_repository_is_followed(world) -> None:
    issue = issue_of_ann(world)
    main = world.seed()
    forge, store = world.forge(), world.clone()
    forge.comment(MARK, issue.number, "Round 1")
    store.fetch()
    world.store.repositories.edit(world.lamp, Actor(world.ann), name="lantern")
    forge.comment(MARK, issue.number, "Round 2")
    forge.comment("run1:x", issue.number, "Another")
    made = store.commit("work", parent=main, changes={"a": b"1"}, message="m", mark="w:1")
    pull = forge.open_pull_request(MARK, head="work", base="main", title="t", body="b", draft=True)
    assert forge.repository().full_name == "ann/lantern"
    assert pull.head_sha == made
    assert len(world.store.issues.comments(issue)) == 2


def test_a_revoked_token_is_told_to_api_and_git_alike(world) -> None:
    world.seed()
    credentials = world.token_of("ann")
    forge, store = world.forge(credentials), world.clone(credentials)
    forge.repository()
    store.fetch()
    token = world.store.tokens.find(credentials.token.get_secret_value())
    world.store.tokens.revoke(token)
    with pytest.raises(ForgeError, match=r"401.*the credential is wrong, revoked or expired"):
        forge.repository()
    with pytest.raises(GitError, match="did not accept the credential"):
        store.fetch()


def test_a_push_by_a_person_is_seen_as_moved(world) -> None:
    main = world.seed()
    ours, theirs = world.clone(), world.clone(world.token_of("ann"))
    theirs.commit("work", parent=main, changes={"b": b"1"}, message="theirs", mark="p:1")
    with pytest.raises(BranchMoved):
        ours.commit("work", parent=main, changes={"a": b"1"}, message="ours", mark="r:1")


def test_a_workflow_file_that_the_token_may_not_write_is_told(world) -> None:
    main = world.seed()
    with pytest.raises(GitError, match=r"refus.*workflow"):
        world.clone(world.workflow_token()).commit(
            "work",
            parent=main,
            changes={".github/workflows/x.yml": b"on: push\n"},
            message="m",
            mark="r:1",
        )


def test_the_token_is_in_no_argument_and_no_file(
    world, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A git in front of the real one writes down how it was called."""
    main = world.seed()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True)
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\nexec {real.stdout.strip()} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    credentials = world.token_of("ann")
    secret = credentials.token.get_secret_value()
    store = world.clone(credentials)
    store.commit("work", parent=main, changes={"a": b"1"}, message="m", mark="r:1")
    calls = (tmp_path / "calls").read_text()
    assert "push --porcelain" in calls
    assert secret not in calls
    for file in (tmp_path / f"clone{world.clones}.git").rglob("*"):
        assert file.is_dir() or secret.encode() not in file.read_bytes()


def test_an_issue_of_ours_is_found_while_it_is_open(world) -> None:
    """Neither a stranger's copy of the mark nor a closed issue stands for it."""
    forge = world.forge()

    def opened() -> int:
        return forge.open_issue("tests-fail:main", title="Tests fail", body="Two.", labels=("bug",))

    first = opened()
    copied = world.store.issues.get(world.store.issues.of(world.lamp)[0].id).body or ""
    world.store.issues.create(world.lamp, Actor(world.eve), "Tests fail", copied)
    assert opened() == first
    found = world.store.issues.find(world.lamp, first)
    assert found is not None
    world.store.issues.edit(world.lamp, found, Actor(world.ann), state="closed")
    second = opened()
    assert second > first + 1
    assert opened() == second
