"""Webhooks, and what was sent to them."""

from datetime import datetime

from pydantic import Field

from bot.forge.embedded.store.rows.base import Json, Row


class Hook(Row):
    """A webhook of a repository or of an App. `events` may hold "*"."""

    repository_id: int | None = None
    app_id: int | None = None
    url: str
    secret: str | None = None
    content_type: str = "json"
    insecure_ssl: str = "0"
    events: tuple[str, ...] = ("push",)
    active: bool = True
    created_at: datetime
    updated_at: datetime


class Delivery(Row):
    """One attempt to deliver. Attempts at the same event share `guid`, the X-GitHub-Delivery.
    `status_code` is 0 while pending or where the receiver could not be reached; `duration` in
    seconds."""

    hook_id: int
    guid: str
    event: str
    action: str | None = None
    repository_id: int | None = None
    installation_id: int | None = None
    redelivery: bool = False
    request_headers: Json = Field(default_factory=dict)
    payload: str = ""
    status: str = "pending"
    status_code: int = 0
    response_headers: Json = Field(default_factory=dict)
    response_body: str = ""
    duration: float = 0.0
    delivered_at: datetime
