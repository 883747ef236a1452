"""Refs and git objects, read from the bare repository."""

from typing import Any

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.objects import Commit as GitCommit
from bot.forge.embedded.git.objects import Signature
from bot.forge.embedded.git.objects import TreeEntry as GitEntry
from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.nodes.rollup import Rollup
from bot.forge.embedded.graphql.paging import Connection
from bot.forge.embedded.shapes.base import node_id
from bot.forge.embedded.store.policy import flag
from bot.forge.embedded.store.rows import Json, Protection, Repository

_TEXT_LIMIT = 512_000


class _Place:
    """Something in one repository's git."""

    def __init__(self, context: Context, repository: Repository) -> None:
        self._context = context
        self._repository = repository

    @property
    def _git(self) -> BareRepository:
        return self._context.store.git(self._repository)

    def repository(self) -> Any:
        return self._context.node(self._repository)


class Ref(_Place):
    """`ref` is the full name, `sha` what it points at."""

    def __init__(self, context: Context, repository: Repository, ref: str, sha: str) -> None:
        super().__init__(context, repository)
        self._ref = ref
        self._sha = sha

    def id(self) -> str:
        return node_id("Ref", f"{self._repository.id}:{self._ref}")

    def name(self) -> str:
        return self._ref.removeprefix(self.prefix())

    def prefix(self) -> str:
        return "/".join(self._ref.split("/")[:2]) + "/"

    def target(self) -> Any:
        return git_object(self._context, self._repository, self._sha)

    def branch_protection_rule(self) -> "BranchProtectionRule | None":
        found = self._context.store.repositories.protection(self._repository, self.name())
        return BranchProtectionRule(found) if found else None

    def compare(self, head_ref: str) -> Json | None:
        head = self._git.resolve(head_ref)
        base = self._git.resolve(self._sha)
        if head is None or base is None:
            return None
        ahead, behind = self._git.ahead_behind(base, head)
        states = {(True, True): "DIVERGED", (True, False): "AHEAD", (False, True): "BEHIND"}
        status = states.get((ahead > 0, behind > 0), "IDENTICAL")
        return {"aheadBy": ahead, "behindBy": behind, "status": status}

    def associated_pull_requests(self, **arguments: Any) -> Any:
        arguments.setdefault("head_ref_name", self.name())
        return self.repository().pull_requests(**arguments)


class BranchProtectionRule:
    """https://docs.github.com/graphql/reference/objects#branchprotectionrule"""

    def __init__(self, protection: Protection) -> None:
        self._settings = protection.settings
        self.pattern = protection.branch

    def requires_approving_reviews(self) -> bool:
        return self._settings.get("required_pull_request_reviews") is not None

    def required_approving_review_count(self) -> int | None:
        reviews = self._settings.get("required_pull_request_reviews")
        return None if reviews is None else int(reviews.get("required_approving_review_count", 1))

    def requires_status_checks(self) -> bool:
        return self._settings.get("required_status_checks") is not None

    def requires_strict_status_checks(self) -> bool:
        return flag(self._settings.get("required_status_checks") or {}, "strict")


class _Object(_Place):
    def __init__(self, context: Context, repository: Repository, oid: str) -> None:
        super().__init__(context, repository)
        self.oid = oid

    def id(self) -> str:
        return node_id(type(self).__name__, f"{self._repository.id}:{self.oid}")

    def abbreviated_oid(self) -> str:
        return self.oid[:7]

    def commit_url(self) -> str:
        return self._context.shapes.web(f"{self._repository.full_name}/commit/{self.oid}")


class Commit(_Object):
    def __init__(self, context: Context, repository: Repository, commit: GitCommit) -> None:
        super().__init__(context, repository, commit.sha)
        self._commit = commit
        self.message = commit.message

    def url(self) -> str:
        return self.commit_url()

    def message_headline(self) -> str:
        return self.message.partition("\n")[0]

    def message_body(self) -> str:
        return self.message.partition("\n")[2].strip()

    def author(self) -> "GitActor":
        return GitActor(self._context, self._commit.author)

    def committer(self) -> "GitActor":
        return GitActor(self._context, self._commit.committer)

    def authors(self, **page: Any) -> Connection:
        return Connection([self.author()], page)

    def authored_date(self) -> Any:
        return self._commit.author.date

    def committed_date(self) -> Any:
        return self._commit.committer.date

    def parents(self, **page: Any) -> Connection:
        return Connection(self._commit.parents, page, self._wrap_sha)

    def history(self, path: str | None = None, **page: Any) -> Connection:
        log = self._git.log(self.oid, path=path or "")
        return Connection(log, page, lambda c: Commit(self._context, self._repository, c))

    def tree(self) -> "Tree":
        return Tree(self._context, self._repository, self._commit.tree)

    def additions(self) -> int:
        return sum(change.additions for change in self._changes())

    def deletions(self) -> int:
        return sum(change.deletions for change in self._changes())

    def changed_files_if_available(self) -> int:
        return len(self._changes())

    def check_suites(self, **page: Any) -> Connection:
        suites = self._context.store.checks.suites(self._repository, self.oid)
        return self._context.connection(suites, page)

    def status(self) -> Any:
        return Rollup(self._context, self._repository, self.oid).status()

    def status_check_rollup(self) -> Any:
        return Rollup(self._context, self._repository, self.oid).rollup(self)

    def _changes(self) -> list[Any]:
        parents = self._commit.parents
        return self._git.changes(parents[0] if parents else None, self.oid)

    def _wrap_sha(self, sha: str) -> "Commit":
        return Commit(self._context, self._repository, self._git.commit(sha))


class GitActor:
    def __init__(self, context: Context, signature: Signature) -> None:
        self._context = context
        self.name = signature.name
        self.email = signature.email
        self.date = signature.date

    def user(self) -> Any:
        account = self._context.store.accounts.by_email(self.email)
        return self._context.node(account) if account and account.kind == "User" else None

    def avatar_url(self, size: int | None = None) -> str:
        user = self.user()
        return str(user.avatar_url()) if user else self._context.shapes.web("avatars/0")


class Tree(_Object):
    def entries(self) -> list["TreeEntry"]:
        return [
            TreeEntry(self._context, self._repository, entry)
            for entry in self._git.entries(self.oid)
        ]


class TreeEntry(_Place):
    def __init__(self, context: Context, repository: Repository, entry: GitEntry) -> None:
        super().__init__(context, repository)
        self._entry = entry
        self.oid = entry.sha
        self.path = entry.path
        self.type = entry.kind
        self.mode = int(entry.mode, 8)
        self.size = entry.size or 0

    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def object(self) -> Any:
        return git_object(self._context, self._repository, self.oid)


class Blob(_Object):
    def byte_size(self) -> int:
        return len(self._data())

    def is_binary(self) -> bool:
        return b"\0" in self._data()[:8000]

    def is_truncated(self) -> bool:
        return not self.is_binary() and self.byte_size() > _TEXT_LIMIT

    def text(self) -> str | None:
        if self.is_binary():
            return None
        return self._data()[:_TEXT_LIMIT].decode("utf-8", "replace")

    def _data(self) -> bytes:
        return self._git.blob(self.oid)


def git_object(context: Context, repository: Repository, sha: str) -> Commit | Tree | Blob | None:
    """The object with a full id; annotated tags are peeled to what they name."""
    git = context.store.git(repository)
    kind = git.kind(sha)
    if kind == "tag":
        return git_object(context, repository, git.tag(sha).target)
    if kind == "commit":
        return Commit(context, repository, git.commit(sha))
    if kind == "tree":
        return Tree(context, repository, sha)
    return Blob(context, repository, sha) if kind == "blob" else None


def by_expression(
    context: Context, repository: Repository, expression: str
) -> Commit | Tree | Blob | None:
    """What `revision` or `revision:path` names, as in git rev-parse."""
    git = context.store.git(repository)
    revision, colon, path = expression.partition(":")
    commit = git.resolve(revision)
    if commit is None:
        return None
    if not colon:
        return git_object(context, repository, commit)
    if not path:
        return Tree(context, repository, git.commit(commit).tree)
    entry = git.entry(commit, path)
    return git_object(context, repository, entry.sha) if entry else None


def branch(context: Context, repository: Repository, name: str) -> Ref | None:
    ref = f"refs/heads/{name}"
    sha = context.store.git(repository).refs(ref).get(ref)
    return Ref(context, repository, ref, sha) if sha else None
