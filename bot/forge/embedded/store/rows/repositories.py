"""Repositories, who may work on them, and the rules of their branches."""

from datetime import datetime

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class Repository(Row):
    owner_id: int
    owner: str
    name: str
    description: str | None = None
    homepage: str | None = None
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    has_issues: bool = True
    topics: tuple[str, ...] = ()
    allow_merge_commit: bool = True
    allow_squash_merge: bool = True
    allow_rebase_merge: bool = True
    delete_branch_on_merge: bool = False
    actions_may_approve: bool = False
    last_number: int = 0
    created_at: datetime
    updated_at: datetime
    pushed_at: datetime | None = None

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


class Redirect(Row):
    """A name that a repository once had."""

    owner: str
    name: str
    repository_id: int


class Collaborator(Row):
    """`permission` is one of pull, triage, push, maintain, admin."""

    repository_id: int
    account_id: int
    permission: str


class Protection(Row):
    """Branch protection; `settings` is the body of the request that set it."""

    repository_id: int
    branch: str
    settings: Json = Field(default_factory=dict)
