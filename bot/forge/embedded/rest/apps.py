"""GitHub Apps: who the App is, where it is installed, and its tokens.

https://docs.github.com/rest/apps/apps
"""

from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import hooks as hook_shapes
from bot.forge.embedded.shapes import people, repositories
from bot.forge.embedded.shapes.base import stamp
from bot.forge.embedded.store.access import at_least
from bot.forge.embedded.store.accounts import INSTALLATION_TOKEN_LIFE
from bot.forge.embedded.store.core import secret
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.rows import App, Delivery, Hook, Installation, Json, Repository

routes = Routes()


class TokenRequest(Body):
    repositories: tuple[str, ...] | None = None
    repository_ids: tuple[int, ...] | None = None
    permissions: dict[str, str] | None = None


@routes.get("/app")
def current(call: Call) -> Json:
    return people.app(call.shapes, _app(call))


@routes.get("/apps/<slug>")
def by_slug(call: Call, slug: str) -> Json:
    return people.app(call.shapes, found(call.store.apps.find(slug)))


@routes.get("/app/installations")
def installations(call: Call) -> Answer:
    rows = call.store.apps.installations(_app(call))
    return call.page(rows, lambda row: people.installation(call.shapes, row))


@routes.get("/app/installations/<int:identity>")
def installation(call: Call, identity: int) -> Json:
    return people.installation(call.shapes, _installation(call, identity))


@routes.post("/app/installations/<int:identity>/access_tokens")
def create_token(call: Call, identity: int) -> Answer:
    """A token good for one hour, narrowed to the repositories and permissions asked for; an empty
    object asks for all."""
    row = _installation(call, identity)
    if row.suspended_at is not None:
        raise Refused(403, "This installation has been suspended")
    body = call.body(TokenRequest)
    _check_permissions(row, body.permissions or {})
    chosen = _chosen(call, row, body)
    permissions = None
    if body.permissions:
        permissions = {"metadata": "read", **body.permissions}
    token = call.store.tokens.create_installation(
        row, permissions=permissions, repository_ids=[r.id for r in chosen or ()]
    )
    shape: Json = {
        "token": token,
        "expires_at": stamp(call.store.now() + INSTALLATION_TOKEN_LIFE),
        "permissions": row.permissions if permissions is None else permissions,
        "repository_selection": "all" if row.all_repositories and chosen is None else "selected",
    }
    if chosen is not None:
        shape["repositories"] = [repositories.full(call.shapes, r) for r in chosen]
    return Answer(shape, 201)


@routes.get("/repos/<owner>/<repo>/installation")
def of_repository(call: Call) -> Json:
    row = call.store.apps.installation_of(_app(call), call.repository)
    return people.installation(call.shapes, found(row))


@routes.get("/users/<login>/installation")
def of_user(call: Call, login: str) -> Json:
    return _of_account(call, login)


@routes.get("/orgs/<login>/installation")
def of_organization(call: Call, login: str) -> Json:
    return _of_account(call, login)


@routes.get("/installation/repositories")
def covered(call: Call) -> Answer:
    """The repositories that an installation token reaches."""
    row = call.actor.installation
    if row is None:
        raise Refused(403, "You must authenticate with an installation access token.")
    reached = [r for r in call.store.apps.repositories(row) if call.actor.reaches(r.id)]
    return call.page(
        reached, lambda r: repositories.full(call.shapes, r, call.actor), key="repositories"
    )


@routes.delete("/installation/token")
def revoke(call: Call) -> None:
    if call.actor.token is None:
        raise Refused(401, "Bad credentials")
    call.store.tokens.revoke(call.actor.token)


@routes.post("/app-manifests/<code>/conversions")
def convert(call: Call, code: str) -> Answer:
    """The credentials of an App from a manifest, had once and within an hour; the code is all
    that the caller needs.
    https://docs.github.com/rest/apps/apps#create-a-github-app-from-a-manifest
    """
    app, registration = call.store.manifests.convert(code)
    shape = people.app(call.shapes, app) | {
        "client_secret": secret(""),
        "webhook_secret": registration.webhook_secret or None,
        "pem": registration.private_key,
    }
    return Answer(shape, 201)


@routes.get("/app/hook/config")
def hook_config(call: Call) -> Json:
    return hook_shapes.config(_hook(call))


@routes.get("/app/hook/deliveries")
def deliveries(call: Call) -> Answer:
    return call.page(call.store.hooks.deliveries(_hook(call)), hook_shapes.delivery)


@routes.get("/app/hook/deliveries/<int:identity>")
def delivery(call: Call, identity: int) -> Json:
    hook = _hook(call)
    return hook_shapes.full_delivery(hook, _delivery(call, hook, identity))


@routes.post("/app/hook/deliveries/<int:identity>/attempts")
def redeliver(call: Call, identity: int) -> Answer:
    hook = _hook(call)
    call.services.webhooks.redeliver(hook, _delivery(call, hook, identity))
    return Answer({}, 202)


def _app(call: Call) -> App:
    """Only a JWT speaks for the App itself."""
    if call.actor.app is None or call.actor.account is not None:
        docs = "https://docs.github.com/rest/apps/apps"
        raise Refused(401, "A JSON web token could not be decoded", docs=docs)
    return call.actor.app


def _installation(call: Call, identity: int) -> Installation:
    row = call.store.apps.installation(identity)
    if row is None or row.app_id != _app(call).id:
        raise not_found()
    return row


def _of_account(call: Call, login: str) -> Json:
    account = call.account(login)
    rows = call.store.apps.installations(_app(call))
    row = next((r for r in rows if r.account_id == account.id), None)
    return people.installation(call.shapes, found(row))


def _check_permissions(row: Installation, wanted: dict[str, str]) -> None:
    for area, level in wanted.items():
        if not at_least(row.permissions.get(area, "none"), level):
            message = "The permissions requested are not granted to this installation."
            raise Refused(422, message)


def _chosen(call: Call, row: Installation, body: TokenRequest) -> list[Repository] | None:
    """The repositories asked for, all of them covered; None where none was named."""
    if body.repositories is None and body.repository_ids is None:
        return None
    covered = call.store.apps.repositories(row)
    names = {name.lower() for name in body.repositories or ()}
    chosen = [r for r in covered if r.name.lower() in names or r.id in (body.repository_ids or ())]
    if len(chosen) != len(names) + len(body.repository_ids or ()):
        message = (
            "There is at least one repository that does not exist "
            "or is not accessible to the parent installation."
        )
        raise Refused(422, message)
    return chosen


def _hook(call: Call) -> Hook:
    return found(call.store.hooks.of_app(_app(call)))


def _delivery(call: Call, hook: Hook, identity: int) -> Delivery:
    return found(call.store.hooks.delivery(hook, identity))
