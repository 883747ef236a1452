"""Who asks, and what their account and token let them do."""

from dataclasses import dataclass

from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account, App, Installation, Token

LEVELS = ("none", "read", "triage", "write", "maintain", "admin")


def at_least(level: str, needed: str) -> bool:
    return LEVELS.index(level) >= LEVELS.index(needed)


@dataclass(frozen=True)
class Actor:
    """The account behind a request and the token it came with.

    Without a token the actor may whatever the account may: this is how the machine itself, its
    pages and seeds act. `app` and `installation` are set for installation tokens; for a JWT only
    `app` is.
    """

    account: Account | None = None
    token: Token | None = None
    app: App | None = None
    installation: Installation | None = None

    @property
    def user(self) -> Account:
        """The account; 401 for an anonymous caller."""
        if self.account is None:
            raise Refused(401, "Requires authentication")
        return self.account

    @property
    def is_workflow(self) -> bool:
        return self.token is not None and self.token.kind == "workflow"

    @property
    def is_integration(self) -> bool:
        """Acts by permissions of an App or workflow, not by a person's own rights."""
        return self.token is not None and self.token.kind != "pat"

    def granted(self, area: str, level: str) -> bool:
        """Whether the token covers `level` ("read" or "write") in an area such as "contents"."""
        if self.token is None or self.token.kind == "pat":
            return True
        return at_least(self.token.permissions.get(area, "none"), level)

    def reaches(self, repository_id: int) -> bool:
        """Whether the token is good for the repository at all."""
        return (
            self.token is None
            or not self.token.repository_ids
            or repository_id in self.token.repository_ids
        )

    @property
    def may_write_workflows(self) -> bool:
        """Classic tokens need the scope `workflow`, Apps the permission `workflows: write`, and a
        GITHUB_TOKEN never may.
        https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
        """
        if self.token is None:
            return True
        if self.token.kind == "workflow":
            return False
        if self.token.kind == "pat":
            return "workflow" in self.token.scopes
        return self.granted("workflows", "write")


ANONYMOUS = Actor()
