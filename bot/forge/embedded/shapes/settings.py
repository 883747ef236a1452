"""Environments, secrets and variables as GitHub's JSON.

Shapes: https://docs.github.com/rest/deployments and https://docs.github.com/rest/actions
"""

from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.shapes.repositories import api_url, web_url
from bot.forge.embedded.store.rows import (
    BranchPolicy,
    Environment,
    Json,
    Repository,
    Secret,
    Variable,
)


def environment(shapes: Shapes, repository: Repository, row: Environment) -> Json:
    rules: list[Json] = []
    if row.wait_timer:
        rules.append({"type": "wait_timer", "wait_timer": row.wait_timer})
    if row.branch_policy:
        rules.append({"type": "branch_policy"})
    return {
        "id": row.id,
        "node_id": node_id("Environment", row.id),
        "name": row.name,
        "url": api_url(shapes, repository, f"/environments/{row.name}"),
        "html_url": web_url(shapes, repository, f"/settings/environments/{row.id}/edit"),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "protection_rules": [
            {"id": place, "node_id": node_id("GateRule", place), **rule}
            for place, rule in enumerate(rules, start=1)
        ],
        "deployment_branch_policy": row.branch_policy or None,
    }


def branch_policy(row: BranchPolicy) -> Json:
    identity = node_id("DeploymentBranchPolicy", row.id)
    return {"id": row.id, "node_id": identity, "name": row.name, "type": row.kind}


def secret(row: Secret) -> Json:
    """Its name alone: nobody is ever shown what it holds."""
    return {
        "name": row.name,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
    }


def variable(row: Variable) -> Json:
    return {
        "name": row.name,
        "value": row.value,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
    }
