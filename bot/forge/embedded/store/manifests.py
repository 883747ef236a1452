"""GitHub Apps from manifests: what a manifest may hold, and the code that credentials are had for.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.forge.embedded.store.accounts import Accounts, Apps
from bot.forge.embedded.store.core import Core, digest, secret
from bot.forge.embedded.store.errors import Refused, invalid, not_found
from bot.forge.embedded.store.hooks import Hooks
from bot.forge.embedded.store.rows import Account, App, Hook, Registration

CODE_LIFE = timedelta(hours=1)
_LONGEST_NAME = 34
_LEVELS = ("read", "write", "admin")
_ALWAYS = ("installation", "installation_repositories", "github_app_authorization")
Url = Annotated[str, Field(pattern=r"^https?://[^\s]{1,2000}$")]


class HookAttributes(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Url
    active: bool = True


class Manifest(BaseModel):
    """The parameters that GitHub documents; one that it does not know is refused, as there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    url: Url
    hook_attributes: HookAttributes | None = None
    redirect_url: Url
    callback_urls: tuple[Url, ...] = Field(default=(), max_length=10)
    setup_url: Url | None = None
    description: str = ""
    public: bool = False
    default_events: tuple[str, ...] = ()
    default_permissions: dict[str, str] = Field(default_factory=dict)
    request_oauth_on_install: bool = False
    setup_on_update: bool = False


class Manifests:
    def __init__(self, core: Core, accounts: Accounts, apps: Apps, hooks: Hooks) -> None:
        self._core = core
        self._table = core.tables.registrations
        self._accounts = accounts
        self._apps = apps
        self._hooks = hooks

    def read(self, text: str) -> Manifest:
        """The manifest that was posted, or 422."""
        try:
            manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "manifest"
            raise Refused(422, f"The manifest has no usable {place}: {first['msg']}") from error
        for area, level in manifest.default_permissions.items():
            if level not in _LEVELS:
                raise Refused(422, f"Default permission {area} cannot be {level!r}")
        for event in manifest.default_events:
            if event in _ALWAYS:
                raise Refused(422, f"Default events unsupported: {event}")
        return manifest

    def register(self, manifest: Manifest, name: str, owner: Account) -> tuple[str, Hook | None]:
        """A new App of the owner's: the code for its credentials, and its webhook."""
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if not slug or len(name) > _LONGEST_NAME:
            raise invalid("App", "name")
        if self._apps.find(slug) is not None or self._accounts.find(slug) is not None:
            raise invalid("App", "name", "Name is already taken", code="already_exists")
        code, hook_secret = secret(""), secret("")
        with self._core.transaction():
            app, key = self._apps.create(
                slug,
                owner,
                name=name,
                permissions=manifest.default_permissions,
                events=manifest.default_events,
            )
            hook = self._hook(manifest, app, hook_secret)
            self._table.insert(
                Registration(
                    app_id=app.id,
                    digest=digest(code),
                    private_key=key,
                    webhook_secret=hook_secret,
                    setup_url=manifest.setup_url or "",
                    homepage=manifest.url,
                    description=manifest.description,
                    expires_at=self._core.now() + CODE_LIFE,
                )
            )
        return code, hook

    def convert(self, code: str) -> tuple[App, Registration]:
        """The App with its credentials, once and within the hour; 404 after that."""
        with self._core.transaction():
            found = self._table.one(digest=digest(code))
            if found is None or not found.private_key or found.expires_at <= self._core.now():
                raise not_found()
            self._table.update(found, private_key="", webhook_secret="")
        return self._apps.get(found.app_id), found

    def of_app(self, app: App) -> Registration | None:
        """How the App was registered, None where it did not come from a manifest."""
        return self._table.one(app_id=app.id)

    def _hook(self, manifest: Manifest, app: App, hook_secret: str) -> Hook | None:
        attributes = manifest.hook_attributes
        if attributes is None:
            return None
        return self._hooks.create(
            attributes.url, app=app, events=("*",), secret=hook_secret, active=attributes.active
        )
