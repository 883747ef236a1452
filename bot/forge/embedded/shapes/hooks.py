"""Webhooks and deliveries as GitHub's JSON.

Shapes: https://docs.github.com/rest/repos/webhooks
"""

import json

from bot.forge.embedded.shapes.base import Shapes, stamp
from bot.forge.embedded.shapes.repositories import api_url
from bot.forge.embedded.store.rows import Delivery, Hook, Json, Repository


def config(hook: Hook) -> Json:
    """The secret is shown as stars."""
    shape = {"url": hook.url, "content_type": hook.content_type, "insecure_ssl": hook.insecure_ssl}
    return shape | ({"secret": "********"} if hook.secret else {})


def hook(shapes: Shapes, repository: Repository, row: Hook) -> Json:
    api = api_url(shapes, repository, f"/hooks/{row.id}")
    last = next(iter(shapes.store.hooks.deliveries(row)), None)
    return {
        "type": "Repository",
        "id": row.id,
        "name": "web",
        "active": row.active,
        "events": list(row.events),
        "config": config(row),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "url": api,
        "test_url": f"{api}/test",
        "ping_url": f"{api}/pings",
        "deliveries_url": f"{api}/deliveries",
        "last_response": {
            "code": last.status_code if last else None,
            "status": "active" if last else "unused",
            "message": last.status if last else None,
        },
    }


def delivery(row: Delivery) -> Json:
    """The form of lists."""
    return {
        "id": row.id,
        "guid": row.guid,
        "delivered_at": stamp(row.delivered_at),
        "redelivery": row.redelivery,
        "duration": row.duration,
        "status": row.status,
        "status_code": row.status_code,
        "event": row.event,
        "action": row.action,
        "installation_id": row.installation_id,
        "repository_id": row.repository_id,
        "throttled_at": None,
    }


def full_delivery(hook_row: Hook, row: Delivery) -> Json:
    return delivery(row) | {
        "url": hook_row.url,
        "request": {"headers": row.request_headers, "payload": json.loads(row.payload)},
        "response": {"headers": row.response_headers, "payload": row.response_body},
    }
