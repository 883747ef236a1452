"""Users, organizations, Apps, installations, and the tokens that they act with."""

from collections.abc import Iterable
from datetime import timedelta

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.core import Core, digest, secret
from bot.forge.embedded.store.errors import Refused, invalid, not_found
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import (
    Account,
    AccountKind,
    App,
    Installation,
    Json,
    Membership,
    Repository,
    Token,
)

ACTIONS_SLUG = "github-actions"
INSTALLATION_TOKEN_LIFE = timedelta(hours=1)
DEFAULT_SCOPES = ("repo", "workflow", "admin:org", "admin:repo_hook", "delete_repo", "user")
WORKFLOW_PERMISSIONS: Json = dict.fromkeys(
    (
        "actions",
        "checks",
        "contents",
        "deployments",
        "issues",
        "packages",
        "pages",
        "pull_requests",
        "repository_projects",
        "security_events",
        "statuses",
    ),
    "write",
) | {"metadata": "read"}


class Accounts:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._tables = core.tables

    def create(
        self,
        login: str,
        kind: AccountKind = "User",
        *,
        name: str | None = None,
        email: str | None = None,
    ) -> Account:
        if self.find(login) is not None:
            raise invalid("User", "login", "Username is already taken", code="already_exists")
        return self._tables.accounts.insert(
            Account(login=login, kind=kind, name=name, email=email, created_at=self._core.now())
        )

    def create_organization(self, login: str, administrator: Account) -> Account:
        with self._core.transaction():
            organization = self.create(login, "Organization")
            self._tables.memberships.insert(
                Membership(organization_id=organization.id, account_id=administrator.id)
            )
        return organization

    def find(self, login: str) -> Account | None:
        return self._tables.accounts.one(login=login)

    def by_login(self, login: str) -> Account:
        found = self.find(login)
        if found is None:
            raise not_found()
        return found

    def get(self, identity: int) -> Account:
        return self._tables.accounts.get(identity)

    def by_email(self, email: str) -> Account | None:
        """The account that a commit's e-mail address belongs to."""
        local, _, host = email.partition("@")
        if host.startswith("users.noreply."):
            return self.find(local.rpartition("+")[2])
        return self._tables.accounts.one(email=email) if email else None

    def administers(self, account: Account, organization: Account) -> bool:
        return (
            self._tables.memberships.one(organization_id=organization.id, account_id=account.id)
            is not None
            or account.id == organization.id
        )

    def organizations(self, account: Account) -> list[Account]:
        found = self._tables.memberships.find(account_id=account.id)
        return [self.get(membership.organization_id) for membership in found]

    def members(self, organization: Account) -> list[Account]:
        found = self._tables.memberships.find(organization_id=organization.id)
        return [self.get(membership.account_id) for membership in found]


class Apps:
    """GitHub Apps and where they are installed."""

    def __init__(self, core: Core, accounts: Accounts) -> None:
        self._core = core
        self._tables = core.tables
        self._accounts = accounts

    def create(
        self,
        slug: str,
        owner: Account,
        *,
        name: str = "",
        permissions: Json | None = None,
        events: Iterable[str] = (),
    ) -> tuple[App, str]:
        """A new App with its bot account, and its private key in PEM, kept nowhere else."""
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        app = self._insert(slug, owner, name, permissions or {}, tuple(events), public.decode())
        pem = private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        return app, pem.decode()

    def actions(self) -> App:
        """The App behind workflow runs and GITHUB_TOKEN."""
        found = self.find(ACTIONS_SLUG)
        if found is not None:
            return found
        owner = self._accounts.find("github") or self._accounts.create("github", "Organization")
        return self._insert(ACTIONS_SLUG, owner, "GitHub Actions", WORKFLOW_PERMISSIONS, (), "")

    def find(self, slug: str) -> App | None:
        return self._tables.apps.one(slug=slug)

    def by_issuer(self, issuer: str) -> App | None:
        """The App that a JWT's `iss` names: its id or client id."""
        if issuer.isdecimal():
            return self._tables.apps.one(id=int(issuer))
        return self._tables.apps.one(client_id=issuer)

    def get(self, identity: int) -> App:
        return self._tables.apps.get(identity)

    def bot(self, app: App) -> Account:
        return self._accounts.get(app.bot_id)

    def install(
        self, app: App, on: Account, *, repositories: Iterable[Repository] | None = None
    ) -> Installation:
        """Install on all repositories of an account, or on the chosen ones."""
        chosen = None if repositories is None else tuple(r.id for r in repositories)
        installation = self._tables.installations.insert(
            Installation(
                app_id=app.id,
                account_id=on.id,
                all_repositories=chosen is None,
                repository_ids=chosen or (),
                permissions=app.permissions,
                events=app.events,
                created_at=self._core.now(),
            )
        )
        self._core.bus.publish(
            Event("installation", "created", Actor(on), installation=installation, app=app)
        )
        return installation

    def installations(self, app: App) -> list[Installation]:
        return self._tables.installations.find(app_id=app.id)

    def installation(self, identity: int) -> Installation | None:
        return self._tables.installations.one(id=identity)

    def installation_of(self, app: App, repository: Repository) -> Installation | None:
        """The installation of the App that covers a repository."""
        for installation in self._tables.installations.find(
            app_id=app.id, account_id=repository.owner_id
        ):
            if installation.all_repositories or repository.id in installation.repository_ids:
                return installation
        return None

    def installed_on(self, repository: Repository) -> list[App]:
        found = self._tables.installations.find(account_id=repository.owner_id)
        return [
            self.get(installation.app_id)
            for installation in found
            if installation.all_repositories or repository.id in installation.repository_ids
        ]

    def repositories(self, installation: Installation) -> list[Repository]:
        owned = self._tables.repositories.find(owner_id=installation.account_id)
        return [
            r for r in owned if installation.all_repositories or r.id in installation.repository_ids
        ]

    def uninstall(self, installation: Installation) -> None:
        with self._core.transaction():
            self._tables.tokens.delete(installation_id=installation.id)
            self._tables.installations.delete(id=installation.id)
            self._tell(installation, "deleted")

    def suspend(self, installation: Installation) -> Installation:
        """Its tokens open nothing, and it gets none, until `unsuspend`.
        https://docs.github.com/apps/maintaining-github-apps/suspending-a-github-app-installation
        """
        with self._core.transaction():
            new = self._tables.installations.update(installation, suspended_at=self._core.now())
            self._tell(new, "suspend")
        return new

    def unsuspend(self, installation: Installation) -> Installation:
        with self._core.transaction():
            new = self._tables.installations.update(installation, suspended_at=None)
            self._tell(new, "unsuspend")
        return new

    def grant(self, installation: Installation, permissions: Json) -> Installation:
        """Have the installation these permissions alone; tokens that live have no more either."""
        granted = {"metadata": "read", **permissions}
        with self._core.transaction():
            new = self._tables.installations.update(installation, permissions=granted)
            for token in self._tables.tokens.find(installation_id=installation.id):
                self._tables.tokens.update(token, permissions=granted)
            self._tell(new, "new_permissions_accepted")
        return new

    def _tell(self, installation: Installation, action: str) -> None:
        """https://docs.github.com/webhooks/webhook-events-and-payloads#installation"""
        on, app = self._accounts.get(installation.account_id), self.get(installation.app_id)
        self._core.bus.publish(
            Event("installation", action, Actor(on), installation=installation, app=app)
        )

    def _insert(
        self,
        slug: str,
        owner: Account,
        name: str,
        permissions: Json,
        events: tuple[str, ...],
        public_key: str,
    ) -> App:
        with self._core.transaction():
            bot = self._accounts.create(f"{slug}[bot]", "Bot")
            return self._tables.apps.insert(
                App(
                    slug=slug,
                    name=name or slug,
                    client_id=secret("Iv23li"),
                    owner_id=owner.id,
                    bot_id=bot.id,
                    public_key=public_key,
                    permissions={"metadata": "read", **permissions},
                    events=events,
                    created_at=self._core.now(),
                )
            )


class Tokens:
    """Every create function returns the token itself, which is kept nowhere."""

    def __init__(self, core: Core, accounts: Accounts, apps: Apps) -> None:
        self._core = core
        self._table = core.tables.tokens
        self._accounts = accounts
        self._apps = apps

    def create_personal(self, account: Account, scopes: Iterable[str] = DEFAULT_SCOPES) -> str:
        """A classic personal access token."""
        return self._create("ghp_", kind="pat", account_id=account.id, scopes=tuple(scopes))

    def create_installation(
        self,
        installation: Installation,
        *,
        permissions: Json | None = None,
        repository_ids: Iterable[int] = (),
    ) -> str:
        """Good for one hour; `permissions` narrows what the installation has.
        https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
        """
        app = self._apps.get(installation.app_id)
        return self._create(
            "ghs_",
            kind="installation",
            account_id=app.bot_id,
            installation_id=installation.id,
            permissions=installation.permissions if permissions is None else permissions,
            repository_ids=tuple(repository_ids) or installation.repository_ids,
            expires_at=self._core.now() + INSTALLATION_TOKEN_LIFE,
        )

    def create_workflow(
        self, repository: Repository, run_id: int, permissions: Json | None = None
    ) -> str:
        """The GITHUB_TOKEN of a workflow run's job, at most 24 hours good.
        https://docs.github.com/actions/concepts/security/github_token
        """
        granted = dict(WORKFLOW_PERMISSIONS if permissions is None else permissions)
        granted.pop("workflows", None)
        return self._create(
            "ghs_",
            kind="workflow",
            account_id=self._apps.actions().bot_id,
            run_id=run_id,
            permissions={"metadata": "read", **granted},
            repository_ids=(repository.id,),
            expires_at=self._core.now() + timedelta(hours=24),
        )

    def revoke(self, token: Token) -> None:
        self._table.delete(id=token.id)

    def revoke_run(self, run_id: int) -> None:
        """End the GITHUB_TOKENs of a run, as GitHub does when its job ends."""
        self._table.delete(run_id=run_id)

    def find(self, text: str) -> Token | None:
        return self._table.one(digest=digest(text))

    def actor(self, text: str) -> Actor:
        """Who a token speaks for; 401 for one that is unknown, revoked or past its time."""
        token = self.find(text)
        if token is None or (token.expires_at and token.expires_at <= self._core.now()):
            raise Refused(401, "Bad credentials")
        account = self._accounts.get(token.account_id)
        if token.kind == "pat":
            return Actor(account, token)
        if token.kind == "workflow":
            return Actor(account, token, app=self._apps.actions())
        installation = self._apps.installation(token.installation_id or 0)
        if installation is None:
            raise Refused(401, "Bad credentials")
        if installation.suspended_at is not None:
            raise Refused(403, "This installation has been suspended")
        return Actor(account, token, self._apps.get(installation.app_id), installation)

    def _create(self, prefix: str, **fields: object) -> str:
        text = secret(prefix)
        self._table.insert(
            Token.model_validate({"digest": digest(text), "created_at": self._core.now(), **fields})
        )
        return text
