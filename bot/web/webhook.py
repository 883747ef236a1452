"""The webhook endpoint: verify, store, answer; nothing is worked inside the request."""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib import resources

import yaml
from flask import Flask, Request, Response, jsonify, request
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError

from bot.base import RepowrightError
from bot.logs import about
from bot.ports.meter import Meter, Unmetered
from bot.runs.deliveries import Deliveries, Delivery
from bot.runs.worker import Health
from bot.web.signature import is_signed

_log = logging.getLogger("repowright.web")

# https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap
LARGEST_PAYLOAD = 25 * 1024 * 1024
_LONGEST_HEADER = 100


def health_app(health: Callable[[], Health]) -> Flask:
    """What a process that takes no deliveries answers: whether it lives, and how it does."""
    app = Flask("repowright", static_folder=None)

    @app.get("/healthz")
    def healthz() -> tuple[Response, int]:
        return _answer("alive", 200)

    @app.get("/readyz")
    def readyz() -> tuple[Response, int]:
        found = health()
        return jsonify(found.model_dump()), 200 if found.working else 503

    @app.errorhandler(SQLAlchemyError)
    def no_database(error: SQLAlchemyError) -> tuple[Response, int]:
        """GitHub shows the delivery as failed; what it told is found by the next sweep."""
        with about(delivery=request.headers.get("X-GitHub-Delivery", "")[:_LONGEST_HEADER]):
            _log.error("the database does not answer: %s", error)
        return _answer("no_database", 503)

    return app


def create_app(
    secret: SecretStr,
    deliveries: Deliveries,
    clock: Callable[[], datetime],
    *,
    stored: Callable[[], None],
    health: Callable[[], Health],
    meter: Meter | None = None,
) -> Flask:
    """The Flask application. `stored` is told of every new delivery. Raise RepowrightError
    without a secret: unsigned deliveries would let anybody start a run."""
    count = meter or Unmetered()
    key = secret.get_secret_value().encode()
    if not key:
        raise RepowrightError(
            "there is no webhook secret",
            hint="set REPOWRIGHT_WEBHOOK_SECRET to the secret that GitHub signs deliveries with",
        )
    app = health_app(health)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_PAYLOAD
    # Form-encoded payloads are read as bytes too.
    app.config["MAX_FORM_MEMORY_SIZE"] = LARGEST_PAYLOAD

    @app.post("/webhook")
    def webhook() -> tuple[Response, int]:
        body = request.get_data(cache=False, parse_form_data=False)
        began = time.perf_counter()
        if not is_signed(key, body, request.headers.get("X-Hub-Signature-256", "")):
            count.delivery("", "refused")
            return _answer("unsigned", 401)
        delivery = _delivery(request, body, clock())
        if delivery is None:
            count.delivery("", "refused")
            return _answer("no_delivery", 400)
        new = deliveries.add(delivery)
        if new:
            stored()
        count.delivery(delivery.event, "stored" if new else "known")
        count.answered(time.perf_counter() - began)
        return _answer("stored" if new else "known", 202)

    return app


def _delivery(request: Request, body: bytes, now: datetime) -> Delivery | None:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
    id = request.headers.get("X-GitHub-Delivery", "")
    event = request.headers.get("X-GitHub-Event", "")
    if not (0 < len(id) <= _LONGEST_HEADER and 0 < len(event) <= _LONGEST_HEADER):
        return None
    return Delivery(
        id=id,
        event=event,
        content_type=(request.content_type or "")[:_LONGEST_HEADER],
        body=body,
        received_at=now,
    )


def _answer(key: str, code: int) -> tuple[Response, int]:
    return jsonify(status=_answers()[key]), code


@cache
def _answers() -> dict[str, str]:
    source = resources.files("bot.web").joinpath("answers.yaml").read_text("utf-8")
    table: dict[str, str] = yaml.safe_load(source)
    return table
