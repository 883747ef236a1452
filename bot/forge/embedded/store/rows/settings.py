"""What workflows are given: environments, secrets and variables."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class Environment(Row):
    """`branch_policy` is GitHub's deployment_branch_policy, {} where every ref may deploy."""

    repository_id: int
    name: str
    wait_timer: int = 0
    prevent_self_review: bool = False
    reviewers: tuple[Json, ...] = ()
    branch_policy: Json = Field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


class BranchPolicy(Row):
    """A pattern of branches or tags that may deploy to an environment with policies of its own."""

    environment_id: int
    name: str
    kind: Literal["branch", "tag"] = "branch"


class Secret(Row):
    """`environment_id` is 0 for the repository's own; `sealed` is base64, for the store's key."""

    repository_id: int
    environment_id: int = 0
    name: str
    sealed: str
    created_at: datetime
    updated_at: datetime


class Variable(Row):
    """`environment_id` is 0 for the repository's own."""

    repository_id: int
    environment_id: int = 0
    name: str
    value: str
    created_at: datetime
    updated_at: datetime
