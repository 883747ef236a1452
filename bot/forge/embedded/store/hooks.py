"""Webhooks and their deliveries."""

from typing import Any

from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.rows import App, Delivery, Hook, Repository


class Hooks:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables = core.tables

    def create(
        self,
        url: str,
        *,
        repository: Repository | None = None,
        app: App | None = None,
        events: tuple[str, ...] = ("push",),
        secret: str | None = None,
        **fields: Any,
    ) -> Hook:
        """A webhook of a repository or of an App."""
        now = self._core.now()
        return self._tables.hooks.insert(
            Hook(
                repository_id=repository.id if repository else None,
                app_id=app.id if app else None,
                url=url,
                events=events,
                secret=secret,
                created_at=now,
                updated_at=now,
                **fields,
            )
        )

    def edit(self, hook: Hook, **changes: Any) -> Hook:
        return self._tables.hooks.update(hook, **changes, updated_at=self._core.now())

    def delete(self, hook: Hook) -> None:
        with self._core.transaction():
            self._tables.deliveries.delete(hook_id=hook.id)
            self._tables.hooks.delete(id=hook.id)

    def find(self, repository: Repository, identity: int) -> Hook | None:
        return self._tables.hooks.one(repository_id=repository.id, id=identity)

    def get(self, identity: int) -> Hook | None:
        return self._tables.hooks.one(id=identity)

    def of_repository(self, repository: Repository) -> list[Hook]:
        return self._tables.hooks.find(repository_id=repository.id)

    def of_app(self, app: App) -> Hook | None:
        return self._tables.hooks.one(app_id=app.id)

    def app_hooks(self) -> list[Hook]:
        return self._tables.hooks.find(repository_id=None)

    def add_delivery(self, delivery: Delivery) -> Delivery:
        return self._tables.deliveries.insert(delivery)

    def finish_delivery(self, delivery: Delivery, **changes: Any) -> Delivery:
        return self._tables.deliveries.update(delivery, **changes)

    def delivery(self, hook: Hook, identity: int) -> Delivery | None:
        return self._tables.deliveries.one(hook_id=hook.id, id=identity)

    def deliveries(self, hook: Hook) -> list[Delivery]:
        """Newest first."""
        return self._tables.deliveries.find(hook_id=hook.id)[::-1]

    def pending(self) -> list[Delivery]:
        return self._tables.deliveries.find(status="pending")
