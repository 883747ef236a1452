"""Webhooks of a repository, their deliveries and redelivery.

https://docs.github.com/rest/repos/webhooks
"""

from typing import Any

from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import hooks as shape
from bot.forge.embedded.store.errors import invalid
from bot.forge.embedded.store.rows import Delivery, Hook, Json

routes = Routes()
_H = "/repos/<owner>/<repo>/hooks"
_ADMIN, _READ = "repository_hooks:admin", "repository_hooks:admin"


class Config(Body):
    url: str | None = None
    content_type: str | None = None
    secret: str | None = None
    insecure_ssl: str | int | None = None


class HookChange(Body):
    config: Config | None = None
    events: tuple[str, ...] | None = None
    add_events: tuple[str, ...] = ()
    remove_events: tuple[str, ...] = ()
    active: bool | None = None


class NewHook(HookChange):
    name: str = "web"


@routes.get(_H, _READ)
def hooks(call: Call) -> Answer:
    rows = call.store.hooks.of_repository(call.repository)
    return call.page(rows, lambda row: shape.hook(call.shapes, call.repository, row))


@routes.post(_H, _ADMIN)
def create(call: Call) -> Answer:
    """GitHub pings a new webhook at once."""
    body = call.body(NewHook)
    config = _config(body.config)
    if "url" not in config:
        raise invalid("Hook", "url", "url cannot be blank")
    config.setdefault("content_type", "form")
    row = call.store.hooks.create(
        config.pop("url"),
        repository=call.repository,
        events=body.events or ("push",),
        active=body.active is not False,
        **config,
    )
    call.services.webhooks.ping(row)
    return Answer(shape.hook(call.shapes, call.repository, row), 201)


@routes.get(f"{_H}/<int:identity>", _READ)
def get(call: Call, identity: int) -> Json:
    return shape.hook(call.shapes, call.repository, _hook(call, identity))


@routes.patch(f"{_H}/<int:identity>", _ADMIN)
def edit(call: Call, identity: int) -> Json:
    body = call.body(HookChange)
    row = _hook(call, identity)
    events = dict.fromkeys((*(body.events or row.events), *body.add_events))
    changes: dict[str, Any] = _config(body.config)
    changes["events"] = tuple(e for e in events if e not in body.remove_events)
    if body.active is not None:
        changes["active"] = body.active
    row = call.store.hooks.edit(row, **changes)
    return shape.hook(call.shapes, call.repository, row)


@routes.delete(f"{_H}/<int:identity>", _ADMIN)
def delete(call: Call, identity: int) -> None:
    call.store.hooks.delete(_hook(call, identity))


@routes.post(f"{_H}/<int:identity>/pings", _ADMIN)
def ping(call: Call, identity: int) -> None:
    call.services.webhooks.ping(_hook(call, identity))


@routes.get(f"{_H}/<int:identity>/deliveries", _READ)
def deliveries(call: Call, identity: int) -> Answer:
    return call.page(call.store.hooks.deliveries(_hook(call, identity)), shape.delivery)


@routes.get(f"{_H}/<int:identity>/deliveries/<int:delivery>", _READ)
def delivery(call: Call, identity: int, delivery: int) -> Json:
    hook = _hook(call, identity)
    return shape.full_delivery(hook, _delivery(call, hook, delivery))


@routes.post(f"{_H}/<int:identity>/deliveries/<int:delivery>/attempts", _ADMIN)
def redeliver(call: Call, identity: int, delivery: int) -> Answer:
    hook = _hook(call, identity)
    call.services.webhooks.redeliver(hook, _delivery(call, hook, delivery))
    return Answer({}, 202)


def _config(config: Config | None) -> dict[str, Any]:
    given = {} if config is None else config.given()
    if "insecure_ssl" in given:
        given["insecure_ssl"] = str(given["insecure_ssl"])
    if given.get("content_type", "json") not in ("json", "form"):
        raise invalid("Hook", "content_type", code="invalid")
    return {name: value for name, value in given.items() if value is not None}


def _hook(call: Call, identity: int) -> Hook:
    return found(call.store.hooks.find(call.repository, identity))


def _delivery(call: Call, hook: Hook, identity: int) -> Delivery:
    return found(call.store.hooks.delivery(hook, identity))
