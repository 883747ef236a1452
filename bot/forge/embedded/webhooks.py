"""Webhooks: every event becomes signed deliveries, posted in the background and kept."""

import hashlib
import hmac
import json
import time
import uuid
from queue import SimpleQueue
from threading import Thread
from urllib.parse import urlencode

import requests

from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.shapes.events import payload
from bot.forge.embedded.shapes.people import installation_reference
from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import Delivery, Hook, Json

TIMEOUT = 10.0
BODY_KEPT = 65_536
_WORKERS = 4
_CONTENT_TYPES = {"json": "application/json", "form": "application/x-www-form-urlencoded"}
_INSTALLATION_EVENTS = ("installation", "installation_repositories", "ping")


class Webhooks:
    """Posts deliveries with a timeout of ten seconds and never repeats one by itself.
    https://docs.github.com/webhooks/using-webhooks/best-practices-for-using-webhooks
    """

    def __init__(self, store: Store, shapes: Shapes) -> None:
        self._store = store
        self._shapes = shapes
        self._queue: SimpleQueue[Delivery | None] = SimpleQueue()
        self._threads: list[Thread] = []
        store.bus.subscribe(self._on_event)

    def start(self) -> None:
        for delivery in self._store.hooks.pending():
            self._queue.put(delivery)
        self._threads = [
            Thread(target=self._work, name=f"webhooks-{i}", daemon=True) for i in range(_WORKERS)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout=TIMEOUT + 1)

    def ping(self, hook: Hook) -> None:
        """What GitHub sends when a webhook is made."""
        repository = (
            self._store.repositories.get(hook.repository_id) if hook.repository_id else None
        )
        body: Json = {"zen": "Keep it logically awesome.", "hook_id": hook.id}
        event = Event("ping", None, self._hook_owner(hook), repository, extra=body)
        self._deliver(hook, event, payload(self._shapes, event), None)

    def redeliver(self, hook: Hook, delivery: Delivery) -> Delivery:
        """Post the same payload again under the same X-GitHub-Delivery.
        https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
        """
        again = self._store.hooks.add_delivery(
            delivery.model_copy(
                update={
                    "id": 0,
                    "redelivery": True,
                    "status": "pending",
                    "status_code": 0,
                    "response_headers": {},
                    "response_body": "",
                    "duration": 0.0,
                    "delivered_at": self._store.now(),
                }
            )
        )
        self._queue.put(again)
        return again

    def _on_event(self, event: Event) -> None:
        if event.repository is not None and event.name != "installation":
            for hook in self._store.hooks.of_repository(event.repository):
                if hook.active and ({"*", event.name} & set(hook.events)):
                    self._deliver(hook, event, payload(self._shapes, event), None)
        for hook in self._store.hooks.app_hooks():
            self._deliver_to_app(hook, event)

    def _deliver_to_app(self, hook: Hook, event: Event) -> None:
        """An App hears of what it subscribed to, where it is installed."""
        app = self._store.apps.get(hook.app_id or 0)
        if event.app is not None and event.app.id != app.id:
            return
        installation = event.installation
        if installation is None and event.repository is not None:
            installation = self._store.apps.installation_of(app, event.repository)
        if installation is None or not hook.active:
            return
        if installation.suspended_at is not None and event.name not in _INSTALLATION_EVENTS:
            return
        if event.name in ("check_run", "check_suite") and not self._owns_check(event, app.id):
            return
        if event.name in _INSTALLATION_EVENTS or event.name in app.events:
            reference = {"installation": installation_reference(installation)}
            body = reference | payload(self._shapes, event)
            self._deliver(hook, event, body, installation.id)

    def _owns_check(self, event: Event, app_id: int) -> bool:
        """`requested` and `rerequested` go to the App concerned; `completed` and `created` to
        all that subscribed."""
        if event.action not in ("requested", "rerequested", "requested_action"):
            return True
        return any(getattr(row, "app_id", None) == app_id for row in event.subjects.values())

    def _deliver(self, hook: Hook, event: Event, body: Json, installation: int | None) -> None:
        text = json.dumps(body, ensure_ascii=False)
        guid = str(uuid.uuid4())
        delivery = self._store.hooks.add_delivery(
            Delivery(
                hook_id=hook.id,
                guid=guid,
                event=event.name,
                action=event.action,
                repository_id=event.repository.id if event.repository else None,
                installation_id=installation,
                request_headers=_headers(hook, event.name, guid, _raw(hook, text)),
                payload=text,
                delivered_at=self._store.now(),
            )
        )
        self._queue.put(delivery)

    def _hook_owner(self, hook: Hook) -> Actor:
        if hook.app_id is not None:
            owner = self._store.apps.get(hook.app_id).owner_id
        else:
            owner = self._store.repositories.get(hook.repository_id or 0).owner_id
        return Actor(self._store.accounts.get(owner))

    def _work(self) -> None:
        while (delivery := self._queue.get()) is not None:
            hook = self._store.hooks.get(delivery.hook_id)
            if hook is not None:
                self._post(hook, delivery)

    def _post(self, hook: Hook, delivery: Delivery) -> None:
        self._store.hooks.finish_delivery(delivery, status="sent")
        started = time.monotonic()
        outcome: Json
        try:
            answer = requests.post(
                hook.url,
                data=_raw(hook, delivery.payload),
                headers=delivery.request_headers,
                timeout=TIMEOUT,
                allow_redirects=False,
                verify=hook.insecure_ssl != "1",
            )
            outcome = {
                "status": "OK" if answer.ok else f"Invalid HTTP Response: {answer.status_code}",
                "status_code": answer.status_code,
                "response_headers": dict(answer.headers),
                "response_body": answer.text[:BODY_KEPT],
            }
        except requests.Timeout:
            outcome = {"status": "timed out", "status_code": 504}
        except requests.RequestException:
            outcome = {"status": "failed to connect to host", "status_code": 502}
        elapsed = round(time.monotonic() - started, 3)
        self._store.hooks.finish_delivery(delivery, **outcome, duration=elapsed)


def _raw(hook: Hook, payload: str) -> bytes:
    """The bytes that are posted and signed."""
    if hook.content_type == "form":
        return urlencode({"payload": payload}).encode()
    return payload.encode()


def _headers(hook: Hook, event: str, guid: str, body: bytes) -> dict[str, str]:
    """https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers"""
    headers = {
        "Accept": "*/*",
        "Content-Type": _CONTENT_TYPES[hook.content_type],
        "User-Agent": "GitHub-Hookshot/embedded",
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": str(hook.id),
        "X-GitHub-Hook-Installation-Target-ID": str(hook.app_id or hook.repository_id),
        "X-GitHub-Hook-Installation-Target-Type": "integration" if hook.app_id else "repository",
    }
    if hook.secret:
        key = hook.secret.encode()
        headers["X-Hub-Signature-256"] = f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"
        headers["X-Hub-Signature"] = f"sha1={hmac.new(key, body, hashlib.sha1).hexdigest()}"
    return headers
