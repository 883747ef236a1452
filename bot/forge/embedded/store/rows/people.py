"""Who there is: accounts, Apps, where these are installed, and tokens."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row

AccountKind = Literal["User", "Organization", "Bot"]
TokenKind = Literal["pat", "installation", "workflow"]


class Account(Row):
    login: str
    kind: AccountKind = "User"
    name: str | None = None
    email: str | None = None
    created_at: datetime


class Membership(Row):
    """`account_id` may administer the organization `organization_id`."""

    organization_id: int
    account_id: int


class App(Row):
    """A GitHub App. `bot_id` is its bot account, `public_key` in PEM; `permissions` maps an area
    such as "contents" to "read" or "write"."""

    slug: str
    name: str
    client_id: str
    owner_id: int
    bot_id: int
    public_key: str = ""
    permissions: Json = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    created_at: datetime


class Registration(Row):
    """An App that came from a manifest. Only the SHA-256 of the code is kept; the private key and
    the webhook's secret until the code is exchanged for them."""

    app_id: int
    digest: str
    private_key: str
    webhook_secret: str
    setup_url: str = ""
    homepage: str = ""
    description: str = ""
    expires_at: datetime


class Installation(Row):
    app_id: int
    account_id: int
    all_repositories: bool = True
    repository_ids: tuple[int, ...] = ()
    permissions: Json = Field(default_factory=dict)
    events: tuple[str, ...] = ()
    suspended_at: datetime | None = None
    created_at: datetime


class Token(Row):
    """Only the SHA-256 of a token is kept. `scopes` belong to a personal access token,
    `permissions` and `repository_ids` (empty: all) to the other kinds."""

    digest: str
    kind: TokenKind
    account_id: int
    scopes: tuple[str, ...] = ()
    permissions: Json = Field(default_factory=dict)
    repository_ids: tuple[int, ...] = ()
    installation_id: int | None = None
    run_id: int | None = None
    expires_at: datetime | None = None
    created_at: datetime
