"""The git port by plumbing on a bare clone: no work tree, no hooks, no plain force push."""

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from bot.base import Data
from bot.forge.github import marks
from bot.forge.github.git_command import GitCommand, Remote, Result, no_access, unreached
from bot.forge.github.git_objects import GitObjects
from bot.markdown import unmention
from bot.ports.git import BranchMoved, GitError
from bot.redaction import Redactor

RUN_REFS = "refs/repowright/"
# Of the run's ref: the specification as somebody wrote it.
_AS_GIVEN = "spec/spec.json"
_BRANCHES = "refs/remotes/origin/"
_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
ATTEMPTS = 3
# How `git push --porcelain` says that the ref is not where we saw it, by us and by the server.
_LOST_RACE = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref", "already exists")


class Identity(Data):
    """Author and committer of everything the bot commits."""

    name: str
    email: str


class GitHubGitStore:
    """One clone of one repository in `directory`. `now` gives the time of commits; `pause` waits
    the given seconds between attempts."""

    def __init__(
        self,
        directory: Path,
        remote: Remote,
        *,
        identity: Identity,
        now: Callable[[], datetime],
        pause: Callable[[float], None] = time.sleep,
        redactor: Redactor | None = None,
    ) -> None:
        self._git = GitCommand(directory)
        self._objects = GitObjects(self._git)
        self._remote = remote
        self._identity = identity
        self._now = now
        self._pause = pause
        self._redactor = redactor or Redactor()

    def fetch(self) -> None:
        self._read_remote(
            "fetch",
            "--quiet",
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "{remote}",
            f"+refs/heads/*:{_BRANCHES}*",
            f"+{RUN_REFS}*:{RUN_REFS}*",
        )

    def head(self, branch: str) -> str | None:
        self._check_branch(branch)
        return self._resolve(_BRANCHES + branch)

    def read(self, commit: str) -> Mapping[str, bytes]:
        return self._objects.read(_checked_id(commit))

    def commit(
        self,
        branch: str,
        *,
        parent: str,
        changes: Mapping[str, bytes | None],
        message: str,
        mark: str,
    ) -> str:
        self._check_branch(branch)
        parent = _checked_id(parent)
        head, found = self._marked(branch, mark)
        if not found and (self._resolve(parent) is None or head not in (None, parent)):
            # What we know of the remote may be old.
            self.fetch()
            head, found = self._marked(branch, mark)
        if found:
            return found
        if head and head != parent:
            raise _moved(branch)
        if self._resolve(parent) is None:
            raise GitError(f"The commit {parent[:12]} is not in the repository")
        tree = self._objects.changed_tree(parent, self._without_secrets(changes))
        made = self._write_commit(tree, parent, message, mark)
        return self._publish(made, f"refs/heads/{branch}", _BRANCHES + branch, head, mark)

    def save_ref(self, ref: str, files: Mapping[str, bytes], *, message: str, mark: str) -> str:
        self._check_run_ref(ref)
        tree = self._run_tree(files)
        for _ in range(ATTEMPTS):
            head = self._resolve(ref)
            if head and (found := self._find(mark, head)):
                return found
            made = self._write_commit(tree, head, message, mark)
            try:
                return self._publish(made, ref, ref, head, mark)
            except BranchMoved as error:
                # We have fetched since, and build on what is there now.
                moved = error
        raise moved

    def load_ref(self, ref: str) -> Mapping[str, bytes] | None:
        self._check_run_ref(ref)
        head = self._resolve(ref)
        return self._objects.read(head) if head else None

    def diff(self, old: str, new: str) -> str:
        arguments = ("--no-color", "--no-ext-diff", "--no-textconv", "--unified=3")
        pair = (_checked_id(old), _checked_id(new))
        return self._git.run("diff-tree", "-p", "-r", *arguments, *pair).decode("utf-8", "replace")

    def holds(self, commit: str) -> bool:
        return self._resolve(_checked_id(commit)) is not None

    def authors_since(self, old: str, new: str) -> tuple[tuple[str, str], ...]:
        span = f"{_checked_id(old)}..{_checked_id(new)}"
        lines = self._git.text("log", "--reverse", "--topo-order", "--format=%H%x09%ae", span)
        pairs = (line.partition("\t") for line in lines.splitlines())
        return tuple((commit, email) for commit, _, email in pairs)

    def _run_tree(self, files: Mapping[str, bytes]) -> str:
        kept = {
            path: self._redactor.kept(content, as_given=path == _AS_GIVEN)
            for path, content in files.items()
        }
        return self._objects.tree(kept)

    def _without_secrets(self, changes: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
        """What only looks like a secret stays: it is source, and may be a test's own."""
        return {
            path: content if content is None else self._redactor.kept(content, as_given=True)
            for path, content in changes.items()
        }

    def _write_commit(self, tree: str, parent: str | None, message: str, mark: str) -> str:
        stamp = f"{int(self._now().timestamp())} +0000"
        person = {
            f"GIT_{who}_{field}": value
            for who in ("AUTHOR", "COMMITTER")
            for field, value in (
                ("NAME", self._identity.name),
                ("EMAIL", self._identity.email),
                ("DATE", stamp),
            )
        }
        text = f"{unmention(self._redactor.shown(message)).strip()}\n\n{marks.trailer(mark)}\n"
        parents = ("-p", parent) if parent else ()
        made = self._git.run(
            "commit-tree", tree, *parents, "-F", "-", stdin=text.encode(), environment=person
        )
        return made.decode().strip()

    def _publish(self, made: str, ref: str, local: str, head: str | None, mark: str) -> str:
        """Push `made` to `ref`, which must still be at `head`; after a failure look whether the
        push arrived before trying again."""
        for attempt in range(ATTEMPTS):
            result = self._push(made, ref, head, again=attempt > 0)
            if result.status == 0:
                self._git.run("update-ref", local, made)
                return made
            self._pause(attempt)
            self.fetch()
            seen = self._resolve(local)
            if seen and (found := self._find(mark, seen)):
                return found
            if seen != head:
                raise _moved(ref.removeprefix("refs/heads/"))
            if "remote rejected" in result.text:
                raise rejected(result)
        raise unreached("push", result)

    def _push(self, made: str, ref: str, head: str | None, *, again: bool) -> Result:
        """https://git-scm.com/docs/git-push: an empty expectation means the ref must not exist."""
        lease = f"--force-with-lease={ref}:{head or ''}"
        return self._git.network(
            self._remote,
            "push",
            "--porcelain",
            "--no-verify",
            lease,
            "{remote}",
            f"{made}:{ref}",
            again=again,
        )

    def _read_remote(self, *arguments: str) -> None:
        for attempt in range(ATTEMPTS):
            result = self._git.network(self._remote, *arguments, again=attempt > 0)
            if result.status == 0:
                return
            if no_access(result):
                break
            self._pause(attempt)
        raise unreached(arguments[0], result)

    def _resolve(self, name: str) -> str | None:
        result = self._git.attempt("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return result.text if result.status == 0 else None

    def _marked(self, branch: str, mark: str) -> tuple[str | None, str | None]:
        """A branch's head, and the commit of this mark that it holds."""
        head = self._resolve(_BRANCHES + branch)
        return head, self._find(mark, head) if head else None

    def _find(self, mark: str, head: str) -> str | None:
        """The commit of this mark, by us, among the ancestors of `head`."""
        layout = f"%H%x09%ce%x09%(trailers:key={marks.TRAILER},valueonly,separator=%x2C)"
        wanted = marks.encode(mark)
        lines = self._git.text(
            "log", "--fixed-strings", f"--grep={marks.trailer(mark)}", f"--format={layout}", head
        )
        for line in lines.splitlines():
            commit, email, trailers = line.split("\t")
            if trailers == wanted and email == self._identity.email:
                return commit
        return None

    def _check_branch(self, branch: str) -> None:
        self._check_ref(f"refs/heads/{branch}", branch)

    def _check_run_ref(self, ref: str) -> None:
        if not ref.startswith(RUN_REFS):
            raise GitError(f"The ref {ref[:200]!a} is not below {RUN_REFS}")
        self._check_ref(ref, ref)

    def _check_ref(self, ref: str, name: str) -> None:
        if name.startswith("-") or self._git.attempt("check-ref-format", ref).status:
            raise GitError(f"{name[:200]!a} is not a name for a branch or ref")


def _checked_id(commit: str) -> str:
    if not _COMMIT_ID.fullmatch(commit):
        raise GitError(f"{commit[:80]!a} is not a commit id")
    return commit


def _moved(name: str) -> BranchMoved:
    return BranchMoved(
        f"Somebody else pushed to {name} while the run worked on it",
        hint="the run continues from the new commit",
    )


def rejected(result: Result) -> GitError:
    line = next((line for line in result.text.splitlines() if line.startswith("!")), "")
    reason = line.rpartition("\t")[2]
    said = [line.strip() for line in result.error.splitlines() if line.startswith("remote:")]
    detail = " / ".join(part.removeprefix("remote:").strip() for part in said if part)[:400]
    return GitError(
        f"The repository refused the push: {reason} {detail}".rstrip(),
        hint="check branch protection and, for workflow files, the `workflows` permission",
    )
