"""The event bus: what happened, told to webhooks and the Actions runner after the commit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.database import Database
from bot.forge.embedded.store.rows import App, Installation, Repository, Row


@dataclass(frozen=True)
class Event:
    """One event, named as its webhook is (https://docs.github.com/webhooks).

    `subjects` are the rows that it speaks of, as they were then, by payload key: "issue",
    "comment", "pull_request" (the Pull row), "review", "check_run", "check_suite",
    "workflow_run", "workflow_job", "workflow", "label". `extra` is plain JSON that goes into the
    payload as it is, such as the fields of a push. `app` limits delivery to that App's hook.
    """

    name: str
    action: str | None
    actor: Actor
    repository: Repository | None = None
    subjects: dict[str, Row] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    installation: Installation | None = None
    app: App | None = None

    @property
    def starts_workflows(self) -> bool:
        """Events caused with a workflow's GITHUB_TOKEN start no workflow, apart from dispatches.
        https://docs.github.com/actions/concepts/security/github_token
        """
        dispatch = self.name in ("workflow_dispatch", "repository_dispatch")
        return dispatch or not self.actor.is_workflow


Subscriber = Callable[[Event], None]


class Bus:
    """Subscribers are called in the thread that caused the event and must return quickly."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.append(subscriber)

    def publish(self, event: Event) -> None:
        self._database.after_commit(lambda: self._tell(event))

    def _tell(self, event: Event) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(event)
