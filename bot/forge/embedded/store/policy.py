"""What a push by a certain actor may do to a repository; git's hook and the API both ask."""

from typing import Any

from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.rows import Json, Repository


def push_policy(store: Store, repository: Repository, by: Actor) -> Json:
    """The rules for push_check.py as plain JSON."""
    return {
        "protected": {
            protection.branch: {
                "refuse": store.repositories.push_refusal(by, repository, protection.branch),
                "force": flag(protection.settings, "allow_force_pushes"),
                "delete": flag(protection.settings, "allow_deletions"),
            }
            for protection in store.repositories.protections(repository)
        },
        "workflow_refusal": None if by.may_write_workflows else workflow_refusal(by),
    }


def workflow_refusal(by: Actor) -> str:
    """GitHub's sentence, with a place for the file.
    https://docs.github.com/apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app
    """
    if by.is_integration:
        kind, need = "a GitHub App", "`workflows` permission"
    else:
        kind, need = "a Personal Access Token", "`workflow` scope"
    return f"refusing to allow {kind} to create or update workflow `{{path}}` without {need}"


def flag(settings: Json, name: str) -> bool:
    """Protection settings give flags as booleans or as {"enabled": …}."""
    value: Any = settings.get(name)
    return bool(value.get("enabled") if isinstance(value, dict) else value)
