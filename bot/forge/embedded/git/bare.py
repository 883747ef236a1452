"""One bare repository, read and written by git's plumbing."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.forge.embedded.git.diff import parse_changes
from bot.forge.embedded.git.memory import Memory
from bot.forge.embedded.git.objects import (
    EMPTY_TREE,
    ZERO,
    Commit,
    FileChange,
    Signature,
    Tag,
    TreeChange,
    TreeEntry,
)
from bot.forge.embedded.git.process import GitFailed, run_git
from bot.forge.embedded.git.refs import read_refs

_LOG_FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
_LOG_FIELDS = 10
_SHA = re.compile(r"[0-9a-f]{40}")


class BareRepository:
    """Ids are full SHA-1s; anything that comes from a caller goes through `resolve` first.

    `memory` keeps what was read of objects for whoever shares it."""

    def __init__(self, path: Path, memory: Memory | None = None) -> None:
        self.path = path
        self._memory = memory or Memory()

    def git(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        return run_git(self.path, *arguments, stdin=stdin, environment=environment)

    def _settled(
        self, *arguments: str, ids: Iterable[str], accept: tuple[int, ...] = (0,)
    ) -> bytes:
        """Output of a command that looks at nothing but the objects of `ids`: where these are full
        ids, not names, it stays what it is."""
        if not all(map(_SHA.fullmatch, ids)):
            return run_git(self.path, *arguments, accept=accept)
        key = (str(self.path), *arguments)
        return self._memory.recall(key, lambda: run_git(self.path, *arguments, accept=accept))

    @classmethod
    def create(cls, path: Path, default_branch: str) -> "BareRepository":
        path.mkdir(parents=True)
        options = ("-q", "--bare", f"--initial-branch={default_branch}")
        run_git(path, "init", *options, ".", environment={"GIT_DEFAULT_REF_FORMAT": "files"})
        return cls(path)

    # Refs

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Full ref names, sorted, and what they point at (a tag object for annotated tags)."""
        return read_refs(self.path, prefix)

    def is_empty(self) -> bool:
        return not self.refs("refs/heads/")

    def set_default_branch(self, branch: str) -> None:
        self.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")

    def valid_ref(self, ref: str) -> bool:
        return self._accepts("check-ref-format", ref)

    def resolve(self, revision: str, kind: str = "commit") -> str | None:
        """The id of what a branch, tag, ref or (short) id names, peeled to `kind`."""
        if not revision or revision.startswith("-") or "\0" in revision or ":" in revision:
            return None
        if not _SHA.fullmatch(revision):
            refs = self.refs()
            for name in (f"refs/heads/{revision}", f"refs/tags/{revision}"):
                if name in refs and (found := self._peeled(refs[name], kind)):
                    return found
        return self._peeled(revision, kind)

    def _peeled(self, revision: str, kind: str) -> str | None:
        options = ("--verify", "-q", "--end-of-options", f"{revision}^{{{kind}}}")
        try:
            return self._settled("rev-parse", *options, ids=[revision]).decode().strip()
        except GitFailed:
            return None

    def update_ref(self, ref: str, new: str, old: str | None = None) -> None:
        """Set a ref; GitFailed where `old` (ZERO: must not exist) is not its value."""
        self.git("update-ref", ref, new, *([] if old is None else [old]))

    def delete_ref(self, ref: str) -> None:
        self.git("update-ref", "-d", ref)

    # Objects

    def kind(self, sha: str) -> str | None:
        """blob, tree, commit or tag; None where there is no such object."""
        if not _SHA.fullmatch(sha):
            return None
        try:
            return self._settled("cat-file", "-t", sha, ids=[sha]).decode().strip()
        except GitFailed:
            return None

    def blob(self, sha: str) -> bytes:
        return self._settled("cat-file", "blob", sha, ids=[sha])

    def write_blob(self, data: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=data).decode().strip()

    def entries(self, tree: str, *, recursive: bool = False) -> list[TreeEntry]:
        """The entries of a tree (or commit), sub-trees included where `recursive`."""
        options = ["-r", "-t"] if recursive else []
        raw = self._settled("ls-tree", "-z", "--long", *options, tree, ids=[tree])
        return [_tree_entry(line) for line in raw.decode("utf-8", "replace").split("\0")[:-1]]

    def entry(self, commit: str, path: str) -> TreeEntry | None:
        """The entry at a path of a commit; None where there is none."""
        where = ("-z", "--long", commit, "--", path)
        raw = self._settled("--literal-pathspecs", "ls-tree", *where, ids=[commit])
        text = raw.decode("utf-8", "replace")
        return _tree_entry(text.split("\0")[0]) if text else None

    def write_tree(self, base: str | None, changes: Iterable[TreeChange]) -> str:
        """A tree made of `base` (None: empty) with `changes`."""
        with TemporaryDirectory(prefix="index-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self.git("read-tree", base or "--empty", environment=index)
            lines = "".join(
                f"{change.mode if change.sha else '0'} {change.sha or ZERO}\t{change.path}\0"
                for change in changes
            )
            self.git("update-index", "-z", "--index-info", stdin=lines.encode(), environment=index)
            return self.git("write-tree", environment=index).decode().strip()

    def tag(self, sha: str) -> Tag:
        """An annotated tag object."""
        head, _, message = (
            self.git("cat-file", "tag", sha).decode("utf-8", "replace").partition("\n\n")
        )
        fields = dict(line.split(" ", 1) for line in head.splitlines())
        name, email, stamp = re.fullmatch(r"(.*) <(.*)> (\d+) .*", fields["tagger"]).groups()  # type: ignore[union-attr]
        tagger = Signature(name, email, datetime.fromtimestamp(int(stamp)).astimezone())
        return Tag(sha, fields["tag"], fields["object"], fields["type"], tagger, message)

    def write_tag(self, name: str, target: str, kind: str, tagger: Signature, message: str) -> str:
        stamp = f"{int(tagger.date.timestamp())} +0000"
        text = (
            f"object {target}\ntype {kind}\ntag {name}\n"
            f"tagger {tagger.name} <{tagger.email}> {stamp}\n\n{message}\n"
        )
        return self.git("mktag", stdin=text.encode()).decode().strip()

    # Commits

    def commit(self, sha: str) -> Commit:
        return next(self._log("-1", sha, ids=[sha]))

    def write_commit(
        self,
        tree: str,
        parents: Iterable[str],
        message: str,
        author: Signature,
        committer: Signature,
    ) -> str:
        options = [option for parent in parents for option in ("-p", parent)]
        people = author.environment("AUTHOR") | committer.environment("COMMITTER")
        raw = self.git("commit-tree", tree, *options, stdin=message.encode(), environment=people)
        return raw.decode().strip()

    def log(
        self, revision: str, *, exclude: str | None = None, path: str = "", limit: int | None = None
    ) -> list[Commit]:
        """Newest first: what is reachable from `revision` and not from `exclude`."""
        options = [] if limit is None else [f"--max-count={limit}"]
        hidden = [f"^{exclude}"] if exclude else []
        paths = [path] if path else []
        ids = [revision, *([exclude] if exclude else [])]
        return list(self._log(*options, revision, *hidden, "--", *paths, ids=ids))

    def merge_base(self, one: str, other: str) -> str | None:
        raw = self._settled("merge-base", one, other, ids=[one, other], accept=(0, 1))
        return raw.decode().strip() or None

    def is_ancestor(self, old: str, new: str) -> bool:
        try:
            return self.merge_base(old, new) == old
        except GitFailed:
            return False

    def ahead_behind(self, base: str, head: str) -> tuple[int, int]:
        raw = self.git("rev-list", "--left-right", "--count", f"{base}...{head}").split()
        return int(raw[1]), int(raw[0])

    def merge_tree(self, base: str, head: str) -> str | None:
        """The tree of the merge of two commits; None where they conflict."""
        try:
            raw = self._settled("merge-tree", "--write-tree", base, head, ids=[base, head])
            return raw.decode().split("\n")[0]
        except GitFailed:
            return None

    def rebase(self, base: str, head: str, committer: Signature) -> str | None:
        """The last commit of `head` replayed on `base`; None where that conflicts."""
        with TemporaryDirectory(prefix="rebase-") as folder:
            work = Path(folder) / "work"
            self.git("worktree", "add", "-q", "--detach", str(work), head)
            try:
                person = committer.environment("COMMITTER")
                run_git(work, "rebase", "-q", "--force-rebase", base, environment=person)
                return run_git(work, "rev-parse", "HEAD").decode().strip()
            except GitFailed:
                return None
            finally:
                self.git("worktree", "remove", "--force", str(work))

    def changes(self, old: str | None, new: str) -> list[FileChange]:
        """The files that differ between two commits (None: the empty tree), with their patches."""
        pair = (old or EMPTY_TREE, new)
        raw = self._settled(
            "-c",
            "core.quotePath=false",
            "diff",
            "--raw",
            "--no-abbrev",
            "-z",
            "--numstat",
            "--patch",
            "--find-renames",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--full-index",
            *pair,
            ids=pair,
        )
        return parse_changes(raw)

    def diff(self, old: str | None, new: str) -> str:
        """The unified diff between two commits, as `git diff` prints it."""
        raw = self.git(
            "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", old or EMPTY_TREE, new
        )
        return raw.decode("utf-8", "replace")

    def format_patch(self, old: str, new: str) -> str:
        raw = self.git("format-patch", "--stdout", f"{old}..{new}")
        return raw.decode("utf-8", "replace")

    def archive(self, commit: str, form: str, prefix: str) -> bytes:
        """The files of a commit; `form` is zip or tar.gz."""
        return self.git("archive", f"--format={form}", f"--prefix={prefix}/", commit)

    def _log(self, *arguments: str, ids: Iterable[str]) -> Iterator[Commit]:
        options = ("-z", f"--format={_LOG_FORMAT}", *arguments)
        raw = self._settled("--literal-pathspecs", "log", *options, ids=ids)
        fields = raw.decode("utf-8", "replace").split("\0")
        for start in range(0, len(fields) - 1, _LOG_FIELDS):
            yield _commit(fields[start : start + _LOG_FIELDS])

    def _accepts(self, *arguments: str) -> bool:
        try:
            self.git(*arguments)
        except GitFailed:
            return False
        return True


def _commit(fields: list[str]) -> Commit:
    sha, tree, parents, an, ae, at, cn, ce, ct, message = fields
    return Commit(
        sha=sha,
        tree=tree,
        parents=tuple(parents.split()),
        author=Signature(an, ae, datetime.fromisoformat(at)),
        committer=Signature(cn, ce, datetime.fromisoformat(ct)),
        message=message.rstrip("\n"),
    )


def _tree_entry(line: str) -> TreeEntry:
    head, path = line.split("\t", 1)
    mode, kind, sha, size = head.split()
    return TreeEntry(mode, kind, sha, None if size == "-" else int(size), path)
