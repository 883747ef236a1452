"""The webhook deliveries of an embedded GitHub, held against GitHub's description of payloads."""

import json
from collections.abc import Iterable

from bot.base import Data
from bot.bench.api.description import Description
from bot.bench.api.packages import packages, published
from bot.forge.embedded.store.rows import Delivery


class DeliveryAudit(Data):
    """`events` are those that were seen, as in issues.opened; `mismatches` are sentences."""

    deliveries: int
    events: tuple[str, ...]
    mismatches: tuple[str, ...]


def payload_description() -> Description:
    """Raise RepowrightError where it cannot be fetched."""
    return Description(published("webhooks") / packages()["webhooks"].files[0])


def audit_deliveries(deliveries: Iterable[Delivery], by: Description) -> DeliveryAudit:
    """Fields that a payload has beyond its schema are not told: the schemas of related events
    differ in what they leave out."""
    found: dict[str, None] = {}
    events: set[str] = set()
    count = 0
    for delivery in deliveries:
        count += 1
        name = ".".join(filter(None, (delivery.event, delivery.action)))
        events.add(name)
        schema = by.delivery(delivery.event, delivery.action)
        if schema is None:
            found[f"{name}: there is no such event"] = None
            continue
        faults = by.faults(schema, json.loads(delivery.payload))
        found.update(dict.fromkeys(f"{name}: {fault}" for fault in faults))
    return DeliveryAudit(deliveries=count, events=tuple(sorted(events)), mismatches=tuple(found))
