"""Secrets and variables of a repository and of its environments.

https://docs.github.com/rest/actions/secrets
https://docs.github.com/rest/actions/variables
"""

from bot.forge.embedded.rest.call import Answer, Body, Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import settings as shape
from bot.forge.embedded.store.rows import Environment, Json

routes = Routes()
_R = "/repos/<owner>/<repo>"
_PLACES = (
    (f"{_R}/actions", "secrets", "actions_variables"),
    (f"{_R}/environments/<environment>", "environments", "environments"),
)


class Sealed(Body):
    encrypted_value: str
    key_id: str


class NewVariable(Body):
    name: str
    value: str


class ChangedVariable(Body):
    name: str | None = None
    value: str | None = None


def secrets(call: Call, environment: str | None = None) -> Answer:
    rows = call.store.vault.secrets(call.repository, _environment(call, environment))
    return call.page(rows, shape.secret, key="secrets")


def public_key(call: Call, environment: str | None = None) -> Json:
    _environment(call, environment)
    return {"key_id": call.store.vault.key_id, "key": call.store.vault.public_key}


def secret(call: Call, name: str, environment: str | None = None) -> Json:
    where = _environment(call, environment)
    return shape.secret(call.store.vault.secret(call.repository, where, name))


def put_secret(call: Call, name: str, environment: str | None = None) -> Answer:
    sealed = call.body(Sealed).encrypted_value
    where = _environment(call, environment)
    new = call.store.vault.put_secret(call.repository, where, name, sealed)
    return Answer({}, status=201) if new else Answer(None, status=204)


def delete_secret(call: Call, name: str, environment: str | None = None) -> None:
    where = _environment(call, environment)
    call.store.vault.delete_secret(call.store.vault.secret(call.repository, where, name))


def variables(call: Call, environment: str | None = None) -> Answer:
    rows = call.store.vault.variables(call.repository, _environment(call, environment))
    return call.page(rows, shape.variable, key="variables")


def variable(call: Call, name: str, environment: str | None = None) -> Json:
    where = _environment(call, environment)
    return shape.variable(call.store.vault.variable(call.repository, where, name))


def create_variable(call: Call, environment: str | None = None) -> Answer:
    body = call.body(NewVariable)
    where = _environment(call, environment)
    call.store.vault.create_variable(call.repository, where, body.name, body.value)
    return Answer({}, status=201)


def change_variable(call: Call, name: str, environment: str | None = None) -> None:
    body = call.body(ChangedVariable)
    where = _environment(call, environment)
    found = call.store.vault.variable(call.repository, where, name)
    call.store.vault.change_variable(found, body.name, body.value)


def delete_variable(call: Call, name: str, environment: str | None = None) -> None:
    where = _environment(call, environment)
    call.store.vault.delete_variable(call.store.vault.variable(call.repository, where, name))


def _environment(call: Call, name: str | None) -> Environment | None:
    return None if name is None else call.store.environments.get(call.repository, name)


for place, secrets_area, variables_area in _PLACES:
    routes.get(f"{place}/secrets", f"{secrets_area}:write")(secrets)
    routes.get(f"{place}/secrets/public-key", f"{secrets_area}:write")(public_key)
    routes.get(f"{place}/secrets/<name>", f"{secrets_area}:write")(secret)
    routes.put(f"{place}/secrets/<name>", f"{secrets_area}:write")(put_secret)
    routes.delete(f"{place}/secrets/<name>", f"{secrets_area}:write")(delete_secret)
    routes.get(f"{place}/variables", f"{variables_area}:write")(variables)
    routes.post(f"{place}/variables", f"{variables_area}:write")(create_variable)
    routes.get(f"{place}/variables/<name>", f"{variables_area}:write")(variable)
    routes.patch(f"{place}/variables/<name>", f"{variables_area}:write")(change_variable)
    routes.delete(f"{place}/variables/<name>", f"{variables_area}:write")(delete_variable)
