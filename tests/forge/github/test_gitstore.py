"""The git port against real git and a bare repository on disk."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from folder_remote import Folder, git, push_by_hand

from bot.forge.github.gitstore import GitHubGitStore, Identity
from bot.ports.git import BranchMoved, GitError

BOT = Identity(name="Repowright", email="bot@example.invalid")
NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


Open = Callable[[], GitHubGitStore]


@pytest.fixture
def open_store(tmp_path: Path, remote: Path) -> Open:
    """Makes a new clone of the remote at each call, as another host would."""
    made: list[int] = []

    def build() -> GitHubGitStore:
        made.append(1)
        store = GitHubGitStore(
            tmp_path / f"clone{len(made)}.git",
            Folder(remote),
            identity=BOT,
            now=lambda: NOON,
            pause=lambda _: None,
        )
        store.fetch()
        return store

    return build


def head_of(store: GitHubGitStore, branch: str) -> str:
    commit = store.head(branch)
    assert commit is not None
    return commit


def test_a_commit_makes_the_branch_and_holds_the_changes(open_store: Open, remote: Path) -> None:
    store = open_store()
    main = head_of(store, "main")
    commit = store.commit(
        "repowright/7-lamp",
        parent=main,
        changes={"pkg/a.py": b"x = 1\r\n", "data.bin": b"\x00\xff", "README.md": None},
        message="Add the lamp",
        mark="run1:code.1",
    )
    assert git(remote, "rev-parse", "repowright/7-lamp") == commit
    assert open_store().read(commit) == {"pkg/a.py": b"x = 1\r\n", "data.bin": b"\x00\xff"}
    assert store.head("repowright/7-lamp") == commit
    shown = git(remote, "log", "-1", "--format=%an <%ae> %cI%n%B", commit)
    assert shown == (
        "Repowright <bot@example.invalid> 2026-01-02T12:00:00+00:00\n"
        "Add the lamp\n\nRepowright-Mark: run1:code.1"
    )


def test_the_same_mark_twice_makes_one_commit(open_store: Open, remote: Path) -> None:
    store = open_store()
    main = head_of(store, "main")

    def write(on: GitHubGitStore) -> str:
        return on.commit("work", parent=main, changes={"a": b"1"}, message="One", mark="r:1")

    first = write(store)
    later = store.commit("work", parent=first, changes={"a": b"2"}, message="Two", mark="r:2")
    assert write(store) == first
    assert write(open_store()) == first
    assert git(remote, "rev-list", "main..work").splitlines() == [later, first]


def test_a_strangers_commit_with_the_mark_is_not_ours(open_store: Open, remote: Path) -> None:
    forged = push_by_hand(remote, "work", "a", "evil", "Evil\n\nRepowright-Mark: r:1")
    made = open_store().commit("work", parent=forged, changes={"a": b"ok"}, message="m", mark="r:1")
    assert made != forged
    assert git(remote, "show", "work:a") == "ok"


def test_a_mark_inside_the_message_is_not_a_mark(open_store: Open) -> None:
    store = open_store()
    main = head_of(store, "main")
    first = store.commit(
        "work", parent=main, changes={"a": b"1"}, message="x\n\nRepowright-Mark: r:2", mark="r:1"
    )
    second = store.commit("work", parent=first, changes={"a": b"2"}, message="y", mark="r:2")
    assert second != first


def test_a_moved_branch_is_told_and_not_overwritten(open_store: Open, remote: Path) -> None:
    store = open_store()
    main = head_of(store, "main")
    first = store.commit("work", parent=main, changes={"a": b"1"}, message="One", mark="r:1")
    theirs = push_by_hand(remote, "work", "b", "by a person")
    with pytest.raises(BranchMoved, match="Somebody else pushed to work"):
        store.commit("work", parent=first, changes={"a": b"2"}, message="Two", mark="r:2")
    assert git(remote, "rev-parse", "work") == theirs
    assert store.authors_since(first, theirs) == ((theirs, "ann@example.invalid"),)


def test_a_push_that_loses_the_race_is_told(open_store: Open, remote: Path) -> None:
    """A person pushes after the bot has looked and before its push arrives."""
    store = open_store()
    main = head_of(store, "main")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    theirs = push_by_hand(remote, "theirs", "b", "x")
    hook.write_text(
        f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/work {theirs}\n"
    )
    hook.chmod(0o755)
    with pytest.raises(BranchMoved):
        store.commit("work", parent=main, changes={"a": b"1"}, message="One", mark="r:1")
    assert git(remote, "rev-parse", "work") == theirs


def test_a_push_whose_answer_is_lost_is_found_again(open_store: Open, remote: Path) -> None:
    """The server takes the push, then dies before it answers."""
    store = open_store()
    main = head_of(store, "main")
    hook = remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
    hook.chmod(0o755)
    commit = store.commit("work", parent=main, changes={"a": b"1"}, message="One", mark="r:1")
    assert git(remote, "rev-list", "main..work").splitlines() == [commit]
    assert store.head("work") == commit


def test_a_refused_push_says_why(open_store: Open, remote: Path) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n")
    hook.chmod(0o755)
    store = open_store()
    with pytest.raises(GitError, match="GH006: Protected branch update failed"):
        store.commit(
            "work", parent=head_of(store, "main"), changes={"a": b"1"}, message="m", mark="r:1"
        )


def test_a_clone_left_by_a_killed_run_is_taken_up_again(
    open_store: Open, remote: Path, tmp_path: Path
) -> None:
    main = head_of(open_store(), "main")
    clone = tmp_path / "clone1.git"
    for lock in ("packed-refs.lock", "HEAD.lock", "refs/remotes/origin/work.lock"):
        (clone / lock).parent.mkdir(parents=True, exist_ok=True)
        (clone / lock).touch()
    (clone / "config").unlink()
    store = GitHubGitStore(clone, Folder(remote), identity=BOT, now=lambda: NOON)
    made = store.commit("work", parent=main, changes={"a": b"1"}, message="m", mark="r:1")
    assert git(remote, "rev-parse", "work") == made


def test_an_old_git_is_refused(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "git"
    old.write_text("#!/bin/sh\necho git version 2.25.1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(GitError, match=r"git version 2.25.1 is too old"):
        GitHubGitStore(tmp_path / "c.git", Folder(remote), identity=BOT, now=lambda: NOON)


def test_hooks_of_the_clone_never_run(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    for name in ("pre-push", "reference-transaction", "post-update"):
        hook = tmp_path / "clone1.git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        hook.chmod(0o755)
    store.commit("w", parent=head_of(store, "main"), changes={"a": b"1"}, message="m", mark="r:1")
    assert not (tmp_path / "ran").exists()


def test_a_run_ref_holds_exactly_the_files_and_its_history(open_store: Open, remote: Path) -> None:
    ref = "refs/repowright/7"
    store = open_store()
    assert store.load_ref(ref) is None
    first = store.save_ref(ref, {"state.json": b"1", "calls/1.md": b"hi"}, message="1", mark="r:s1")
    second = store.save_ref(ref, {"state.json": b"2"}, message="Leg 2", mark="r:s2")
    assert store.save_ref(ref, {"state.json": b"1"}, message="Leg 1", mark="r:s1") == first
    other = open_store()
    assert other.load_ref(ref) == {"state.json": b"2"}
    assert other.read(first) == {"state.json": b"1", "calls/1.md": b"hi"}
    assert git(remote, "rev-list", ref).splitlines() == [second, first]
    assert "calls/1.md" in other.diff(first, second)


def test_what_looks_like_a_secret_stays_in_the_specification_that_is_read_again_alone(
    open_store: Open,
) -> None:
    looks = b"key = 'ghp_" + b"0123456789abcdef" * 2 + b"'"
    files = dict.fromkeys(("spec/spec.json", "spec/00-PRD.md", "calls/0001.md"), looks)
    open_store().save_ref("refs/repowright/7", files, message="1", mark="r:s1")
    kept = open_store().load_ref("refs/repowright/7")
    assert kept == dict.fromkeys(files, b"key = '***'") | {"spec/spec.json": looks}


def test_two_hosts_cannot_both_extend_a_run(open_store: Open) -> None:
    ref = "refs/repowright/7"
    one, two = open_store(), open_store()
    one.save_ref(ref, {"state.json": b"1"}, message="m", mark="r:1")
    two.save_ref(ref, {"state.json": b"2"}, message="m", mark="r:2")
    assert one.load_ref(ref) == {"state.json": b"1"}
    one.fetch()
    assert one.load_ref(ref) == {"state.json": b"2"}


def test_modes_stay_and_links_and_submodules_are_left_out(open_store: Open, remote: Path) -> None:
    blob = git(remote, "hash-object", "-w", "--stdin", stdin="run")
    main = git(remote, "rev-parse", "main")
    tree = git(
        remote,
        "mktree",
        stdin=f"100755 blob {blob}\trun.sh\n120000 blob {blob}\tlink\n160000 commit {main}\tsub\n",
    )
    git(remote, "update-ref", "refs/heads/odd", git(remote, "commit-tree", tree, "-m", "odd"))
    store = open_store()
    odd = head_of(store, "odd")
    assert store.read(odd) == {"run.sh": b"run"}
    made = store.commit("odd", parent=odd, changes={"run.sh": b"new"}, message="m", mark="r:1")
    assert git(remote, "ls-tree", made, "run.sh").startswith("100755 ")
    with pytest.raises(GitError, match="would be a file and"):
        store.commit("odd", parent=made, changes={"link/x": b"1"}, message="m", mark="r:2")


@pytest.mark.parametrize("name", ["..", ".", ".git", ".Git"])
def test_paths_of_a_hostile_tree_that_lead_out_of_it_are_left_out(
    open_store: Open, remote: Path, name: str
) -> None:
    blob = git(remote, "hash-object", "-w", "--stdin", stdin="x")
    below = git(remote, "mktree", stdin=f"100644 blob {blob}\tescaped\n")
    listing = f"040000 tree {below}\t{name}\n100644 blob {blob}\tplain\n"
    tree = git(remote, "mktree", stdin=listing)
    git(remote, "update-ref", "refs/heads/odd", git(remote, "commit-tree", tree, "-m", "odd"))
    store = open_store()
    assert store.read(head_of(store, "odd")) == {"plain": b"x"}


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a//b",
        "./a",
        "C:/x",
        "a\\b",
        ".git/config",
        "sub/.GIT/hooks/x",
        ".git./x",
        ".git /x",
        "git~1/x",
        ".git::$INDEX_ALLOCATION/x",
        ".g\u200cit/x",
        "a\nb",
        "a\0b",
        "a\x7fb",
        "x" * 256,
        "\ud800",
    ],
)
def test_paths_that_could_leave_the_tree_are_refused(open_store: Open, path: str) -> None:
    store = open_store()
    main = head_of(store, "main")
    with pytest.raises(GitError, match="The path"):
        store.commit("work", parent=main, changes={path: b"x"}, message="m", mark="r:1")
    with pytest.raises(GitError, match="The path"):
        store.save_ref("refs/repowright/1", {path: b"x"}, message="m", mark="r:1")


def test_a_file_can_become_a_directory_only_when_it_is_deleted(open_store: Open) -> None:
    store = open_store()
    main = head_of(store, "main")
    first = store.commit("w", parent=main, changes={"a": b"1"}, message="m", mark="r:1")
    with pytest.raises(GitError, match="would be a file and"):
        store.commit("w", parent=first, changes={"a/b": b"1"}, message="m", mark="r:2")
    swapped = store.commit(
        "w", parent=first, changes={"a/b": b"1", "a": None}, message="m", mark="r:3"
    )
    assert store.read(swapped) == {"README.md": b"Hello\n", "a/b": b"1"}
    back = store.commit(
        "w", parent=swapped, changes={"a": b"2", "a/b": None}, message="m", mark="r:4"
    )
    assert store.read(back) == {"README.md": b"Hello\n", "a": b"2"}


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "a\nb", "refs/heads/../x", "", "@{-1}"])
def test_branch_names_that_git_could_misread_are_refused(open_store: Open, name: str) -> None:
    with pytest.raises(GitError, match="is not a name"):
        open_store().head(name)


def test_only_run_refs_can_be_saved(open_store: Open) -> None:
    with pytest.raises(GitError, match="is not below refs/repowright/"):
        open_store().save_ref("refs/heads/main", {"a": b"1"}, message="m", mark="r:1")


def test_only_commit_ids_are_taken(open_store: Open) -> None:
    with pytest.raises(GitError, match="is not a commit id"):
        open_store().diff("--output=/tmp/x", "HEAD")


def test_mentions_in_commit_messages_summon_nobody(open_store: Open, remote: Path) -> None:
    store = open_store()
    made = store.commit(
        "w", parent=head_of(store, "main"), changes={"a": b""}, message="Hi @ann", mark="r:1"
    )
    assert git(remote, "log", "-1", "--format=%s", made) == "Hi @\u200bann"


def test_other_transports_are_refused(tmp_path: Path) -> None:
    @dataclass
    class Elsewhere:
        where: str

        def address(self, *, again: bool = False) -> str:
            return self.where

        def token(self) -> str:
            return ""

    for where in ("ssh://host/x", "ext::sh -c touch% x", "git://host/x"):
        store = GitHubGitStore(tmp_path / "c.git", Elsewhere(where), identity=BOT, now=lambda: NOON)
        with pytest.raises(GitError, match="is not supported"):
            store.fetch()


def test_without_git_the_error_says_so(tmp_path: Path) -> None:
    script = (
        "from datetime import datetime\nfrom pathlib import Path\n"
        "from bot.forge.github.gitstore import GitHubGitStore, Identity\n"
        "GitHubGitStore(Path('clone'), None, identity=Identity(name='a', email='b'),"
        " now=datetime.now)\n"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PATH": str(tmp_path), "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert "git is not installed (install git 2.32 or newer and put it on PATH)" in done.stderr
