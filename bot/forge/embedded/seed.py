"""A first maintainer, repository and App: what a demo or a trial run starts with."""

from dataclasses import dataclass

from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.rows import Account, App, Installation, Json, Repository

APP_PERMISSIONS: Json = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "workflows": "write",
}
APP_EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
    "workflow_run",
)


@dataclass(frozen=True)
class Seeded:
    """The credentials are nowhere else: `token` is the maintainer's personal access token,
    `private_key` the App's in PEM."""

    maintainer: Account
    token: str
    app: App
    private_key: str
    installation: Installation
    repository: Repository


def seed(
    store: Store,
    owner: str = "maintainer",
    repo: str = "project",
    *,
    app: str = "repowright",
    description: str | None = None,
    webhook_url: str | None = None,
    webhook_secret: str | None = None,
) -> Seeded:
    """A maintainer with a token, an empty repository, and the App installed on it.

    The maintainer owns the repository or, where `owner` is another name, the organization of that
    name. Where `webhook_url` is given, the App's events are posted to it.
    """
    with store.transaction():
        maintainer = store.accounts.create("maintainer", name="Maintainer")
        account = maintainer
        if owner != maintainer.login:
            account = store.accounts.create_organization(owner, maintainer)
        repository = store.repositories.create(
            account, repo, Actor(maintainer), description=description
        )
        bot, key = store.apps.create(
            app, maintainer, permissions=APP_PERMISSIONS, events=APP_EVENTS
        )
        if webhook_url is not None:
            store.hooks.create(webhook_url, app=bot, events=("*",), secret=webhook_secret)
        installation = store.apps.install(bot, account, repositories=[repository])
        token = store.tokens.create_personal(maintainer)
    return Seeded(maintainer, token, bot, key, installation, repository)
