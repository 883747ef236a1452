"""Environments and the branches that may deploy to them.

https://docs.github.com/rest/deployments/environments
https://docs.github.com/rest/deployments/branch-policies
"""

from typing import Literal

from bot.forge.embedded.rest.call import Answer, Body, Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import settings as shape
from bot.forge.embedded.store.rows import Json

routes = Routes()
_ALL = "/repos/<owner>/<repo>/environments"
_ONE = f"{_ALL}/<environment>"
_POLICIES = f"{_ONE}/deployment-branch-policies"
_POLICY = f"{_POLICIES}/<int:identity>"


class Settings(Body):
    wait_timer: int | None = None
    prevent_self_review: bool | None = None
    reviewers: tuple[Json, ...] | None = None
    deployment_branch_policy: Json | None = None


class Policy(Body):
    name: str
    type: Literal["branch", "tag"] = "branch"


@routes.get(_ALL, "actions:read")
def environments(call: Call) -> Answer:
    rows = call.store.environments.of(call.repository)
    return call.page(
        rows, lambda row: shape.environment(call.shapes, call.repository, row), key="environments"
    )


@routes.get(_ONE, "actions:read")
def environment(call: Call, environment: str) -> Json:
    row = call.store.environments.get(call.repository, environment)
    return shape.environment(call.shapes, call.repository, row)


@routes.put(_ONE, "administration:admin")
def put(call: Call, environment: str) -> Json:
    """What is not given is as it is without it."""
    body = call.body(Settings)
    row = call.store.environments.put(
        call.repository,
        environment,
        wait_timer=body.wait_timer or 0,
        prevent_self_review=body.prevent_self_review or False,
        reviewers=body.reviewers or (),
        branch_policy=body.deployment_branch_policy or {},
    )
    return shape.environment(call.shapes, call.repository, row)


@routes.delete(_ONE, "administration:admin")
def delete(call: Call, environment: str) -> None:
    call.store.environments.delete(call.store.environments.get(call.repository, environment))


@routes.get(_POLICIES, "actions:read")
def policies(call: Call, environment: str) -> Answer:
    row = call.store.environments.get(call.repository, environment)
    return call.page(
        call.store.environments.policies(row), shape.branch_policy, key="branch_policies"
    )


@routes.post(_POLICIES, "administration:admin")
def add_policy(call: Call, environment: str) -> Json:
    body = call.body(Policy)
    row = call.store.environments.get(call.repository, environment)
    return shape.branch_policy(call.store.environments.add_policy(row, body.name, body.type))


@routes.get(_POLICY, "actions:read")
def policy(call: Call, environment: str, identity: int) -> Json:
    row = call.store.environments.get(call.repository, environment)
    return shape.branch_policy(call.store.environments.policy(row, identity))


@routes.put(_POLICY, "administration:admin")
def rename_policy(call: Call, environment: str, identity: int) -> Json:
    body = call.body(Policy)
    row = call.store.environments.get(call.repository, environment)
    found = call.store.environments.policy(row, identity)
    return shape.branch_policy(call.store.environments.rename_policy(found, body.name))


@routes.delete(_POLICY, "administration:admin")
def delete_policy(call: Call, environment: str, identity: int) -> None:
    row = call.store.environments.get(call.repository, environment)
    call.store.environments.delete_policy(call.store.environments.policy(row, identity))
