"""Repositories: creation, names, access, branch protection and labels."""

import re
import shutil
from typing import Any

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.hooks import install_hooks
from bot.forge.embedded.store.access import Actor, at_least
from bot.forge.embedded.store.accounts import Accounts
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.errors import Refused, forbidden, invalid, not_found
from bot.forge.embedded.store.rows import (
    Account,
    Collaborator,
    Json,
    Label,
    Protection,
    Redirect,
    Repository,
    Token,
)

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_LEVEL_OF = {
    "pull": "read",
    "triage": "triage",
    "push": "write",
    "maintain": "maintain",
    "admin": "admin",
    "read": "read",
    "write": "write",
}
DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("duplicate", "cfd3d7", "This issue or pull request already exists"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("good first issue", "7057ff", "Good for newcomers"),
    ("help wanted", "008672", "Extra attention is needed"),
    ("invalid", "e4e669", "This doesn't seem right"),
    ("question", "d876e3", "Further information is requested"),
    ("wontfix", "ffffff", "This will not be worked on"),
)


class Repositories:
    def __init__(self, core: Core, accounts: Accounts) -> None:
        self._core = core
        self._tables = core.tables
        self._accounts = accounts

    def git(self, repository: Repository) -> BareRepository:
        return self._core.git(repository)

    def create(
        self, owner: Account, name: str, by: Actor | None = None, **fields: Any
    ) -> Repository:
        """An empty repository with GitHub's default labels; `fields` are columns of the row."""
        self._check_name(owner.login, name)
        now = self._core.now()
        with self._core.transaction():
            repository = self._tables.repositories.insert(
                Repository(
                    owner_id=owner.id,
                    owner=owner.login,
                    name=name,
                    created_at=now,
                    updated_at=now,
                    **fields,
                )
            )
            self._tables.redirects.delete(owner=owner.login, name=name)
            for label, color, description in DEFAULT_LABELS:
                self._tables.labels.insert(
                    Label(
                        repository_id=repository.id,
                        name=label,
                        color=color,
                        description=description,
                        default=True,
                    )
                )
            path = self._core.git(repository).path
            shutil.rmtree(path, ignore_errors=True)
            install_hooks(BareRepository.create(path, repository.default_branch))
            self._core.publish("repository", "created", by or Actor(owner), repository)
        return repository

    def get(self, identity: int) -> Repository:
        return self._tables.repositories.get(identity)

    def find(self, owner: str, name: str) -> Repository | None:
        return self._tables.repositories.one(owner=owner, name=name)

    def redirected(self, owner: str, name: str) -> Repository | None:
        """The repository that once had this name."""
        redirect = self._tables.redirects.one(owner=owner, name=name)
        return self._tables.repositories.one(id=redirect.repository_id) if redirect else None

    def owned_by(self, account: Account) -> list[Repository]:
        return self._tables.repositories.find(owner_id=account.id)

    def all(self) -> list[Repository]:
        return self._tables.repositories.find()

    def edit(self, repository: Repository, by: Actor, **changes: Any) -> Repository:
        """Change columns; a new `name` leaves a redirect behind, a new `default_branch` must
        exist."""
        name, branch = changes.get("name"), changes.get("default_branch")
        with self._core.transaction():
            if name and name != repository.name:
                self._check_name(repository.owner, name, repository)
                self._leave_redirect(repository)
                self._tables.redirects.delete(owner=repository.owner, name=name)
            if branch and branch != repository.default_branch:
                git = self.git(repository)
                if not git.is_empty() and f"refs/heads/{branch}" not in git.refs("refs/heads/"):
                    raise invalid("Repository", "default_branch", code="invalid")
                git.set_default_branch(branch)
            new = self._tables.repositories.update(
                repository, **changes, updated_at=self._core.now()
            )
            action, changed = _change(repository, new)
            extra = {} if action in ("archived", "unarchived") else {"changes": changed}
            self._core.publish("repository", action, by, new, extra)
        return new

    def transfer(self, repository: Repository, owner: Account, by: Actor) -> Repository:
        self._check_name(owner.login, repository.name)
        with self._core.transaction():
            self._leave_redirect(repository)
            new = self._tables.repositories.update(
                repository, owner_id=owner.id, owner=owner.login, updated_at=self._core.now()
            )
            former = self._accounts.get(repository.owner_id)
            kind = "user" if former.kind == "User" else "organization"
            told = {"owner": {"from": {kind: {"login": former.login, "id": former.id}}}}
            self._core.publish("repository", "transferred", by, new, {"changes": told})
        return new

    def delete(self, repository: Repository, by: Actor) -> None:
        with self._core.transaction():
            self._tables.repositories.delete(id=repository.id)
            self._tables.redirects.delete(repository_id=repository.id)
            for table in (self._tables.issues, self._tables.pulls, self._tables.hooks):
                table.delete(repository_id=repository.id)
            self._core.publish("repository", "deleted", by, repository)
        shutil.rmtree(self.git(repository).path, ignore_errors=True)

    # Access

    def permission(self, repository: Repository, account: Account) -> str:
        """admin, maintain, write, triage, read or none: the account's own, whatever its token."""
        owner = self._accounts.get(repository.owner_id)
        if self._accounts.administers(account, owner):
            return "admin"
        found = self._tables.collaborators.one(repository_id=repository.id, account_id=account.id)
        if found is not None:
            return _LEVEL_OF[found.permission]
        return "none" if repository.private else "read"

    def allows(self, actor: Actor, repository: Repository, area: str, level: str) -> bool:
        """Whether the actor may read or write an area ("contents", "issues" …). `level` may also be
        triage, maintain, admin, or contribute: what everyone may who can read and has a name."""
        public = not repository.private and level == "read"
        if actor.account is None:
            return public
        if actor.is_integration:
            covered = actor.reaches(repository.id) and self._installed(actor, repository)
            needed = "read" if level == "read" else "write"
            return public or (covered and actor.granted(area, needed))
        if actor.token and not public and not self._in_scope(actor.token, repository):
            return False
        needed = "read" if level == "contribute" else level
        return at_least(self.permission(repository, actor.account), needed)

    def require(self, actor: Actor, repository: Repository, area: str, level: str) -> None:
        """404 where the actor may not even see the repository, else 403."""
        if self.allows(actor, repository, area, level):
            return
        if not self.allows(actor, repository, "metadata", "read"):
            raise not_found()
        if actor.account is None:
            raise Refused(401, "Requires authentication")
        if actor.is_integration:
            raise forbidden()
        raise forbidden(
            "Must have admin rights to Repository." if level == "admin" else "Forbidden"
        )

    def visible_to(self, actor: Actor) -> list[Repository]:
        return [r for r in self.all() if self.allows(actor, r, "metadata", "read")]

    def _in_scope(self, token: Token, repository: Repository) -> bool:
        """https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps"""
        return "repo" in token.scopes or ("public_repo" in token.scopes and not repository.private)

    def _installed(self, actor: Actor, repository: Repository) -> bool:
        installation = actor.installation
        return installation is None or (
            installation.account_id == repository.owner_id
            and (installation.all_repositories or repository.id in installation.repository_ids)
        )

    def add_collaborator(
        self, repository: Repository, account: Account, permission: str = "push"
    ) -> Collaborator:
        """`permission` is one of pull, triage, push, maintain, admin."""
        if permission not in _LEVEL_OF:
            raise invalid("Collaborator", "permission", code="invalid")
        self.remove_collaborator(repository, account)
        return self._tables.collaborators.insert(
            Collaborator(repository_id=repository.id, account_id=account.id, permission=permission)
        )

    def remove_collaborator(self, repository: Repository, account: Account) -> None:
        self._tables.collaborators.delete(repository_id=repository.id, account_id=account.id)

    def collaborators(self, repository: Repository) -> list[Account]:
        """Owner or organization administrators first, then those who were added."""
        owner = self._accounts.get(repository.owner_id)
        people = [owner] if owner.kind == "User" else self._accounts.members(owner)
        added = self._tables.collaborators.find(repository_id=repository.id)
        return people + [self._accounts.get(found.account_id) for found in added]

    # Branch protection

    def protection(self, repository: Repository, branch: str) -> Protection | None:
        return self._tables.protections.one(repository_id=repository.id, branch=branch)

    def protections(self, repository: Repository) -> list[Protection]:
        return self._tables.protections.find(repository_id=repository.id)

    def protect(self, repository: Repository, branch: str, settings: Json) -> Protection:
        with self._core.transaction():
            self.unprotect(repository, branch)
            return self._tables.protections.insert(
                Protection(repository_id=repository.id, branch=branch, settings=settings)
            )

    def unprotect(self, repository: Repository, branch: str) -> None:
        self._tables.protections.delete(repository_id=repository.id, branch=branch)

    def push_refusal(self, actor: Actor, repository: Repository, branch: str) -> str | None:
        """Why a protected branch takes no direct push from the actor; None where it does.
        https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
        """
        protection = self.protection(repository, branch)
        if protection is None:
            return None
        settings = protection.settings
        admin = actor.account is not None and (
            self.permission(repository, actor.account) == "admin"
        )
        if admin and not settings.get("enforce_admins"):
            return None
        if settings.get("lock_branch"):
            return "Cannot change this locked branch"
        if settings.get("required_pull_request_reviews") is not None:
            return "Changes must be made through a pull request."
        checks = settings.get("required_status_checks")
        if checks is not None and (checks.get("contexts") or checks.get("checks")):
            return "Required status checks are expected."
        return self._restricted(actor, settings.get("restrictions"))

    def _restricted(self, actor: Actor, restrictions: Json | None) -> str | None:
        if restrictions is None or actor.account is None:
            return None
        slug = actor.app.slug if actor.app else ""
        allowed = actor.account.login in restrictions.get("users", ()) or (
            slug and slug in restrictions.get("apps", ())
        )
        return None if allowed else "You're not authorized to push to this branch."

    # Labels

    def labels(self, repository: Repository) -> list[Label]:
        return self._tables.labels.find(repository_id=repository.id)

    def label(self, repository: Repository, name: str) -> Label | None:
        return self._tables.labels.one(repository_id=repository.id, name=name)

    def create_label(
        self,
        repository: Repository,
        name: str,
        color: str = "ededed",
        description: str | None = None,
    ) -> Label:
        if self.label(repository, name) is not None:
            raise invalid("Label", "name", code="already_exists")
        return self._tables.labels.insert(
            Label(repository_id=repository.id, name=name, color=color, description=description)
        )

    def edit_label(self, label: Label, **changes: Any) -> Label:
        return self._tables.labels.update(label, **changes)

    def delete_label(self, label: Label) -> None:
        """Remove the label, also from the issues that carry it."""
        with self._core.transaction():
            self._tables.labels.delete(id=label.id)
            for issue in self._tables.issues.find(repository_id=label.repository_id):
                if label.id in issue.label_ids:
                    left = tuple(i for i in issue.label_ids if i != label.id)
                    self._tables.issues.update(issue, label_ids=left)

    def _check_name(self, owner: str, name: str, current: Repository | None = None) -> None:
        if not _NAME.fullmatch(name) or name in (".", "..") or name.endswith(".git"):
            raise invalid("Repository", "name", "name is invalid")
        taken = self.find(owner, name)
        if taken is not None and (current is None or taken.id != current.id):
            raise Refused(
                422,
                "Repository creation failed.",
                errors=[
                    {
                        "resource": "Repository",
                        "code": "custom",
                        "field": "name",
                        "message": "name already exists on this account",
                    }
                ],
            )

    def _leave_redirect(self, repository: Repository) -> None:
        self._tables.redirects.delete(owner=repository.owner, name=repository.name)
        self._tables.redirects.insert(
            Redirect(owner=repository.owner, name=repository.name, repository_id=repository.id)
        )


def _change(before: Repository, after: Repository) -> tuple[str, Json]:
    """The webhook's action and `changes` for an edit.
    https://docs.github.com/webhooks/webhook-events-and-payloads#repository
    """
    if after.name != before.name:
        return "renamed", {"repository": {"name": {"from": before.name}}}
    if after.archived != before.archived:
        return ("archived" if after.archived else "unarchived"), {}
    if after.default_branch != before.default_branch:
        return "edited", {"default_branch": {"from": before.default_branch}}
    return "edited", {}
