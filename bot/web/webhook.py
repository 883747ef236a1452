"""The webhook endpoint: verify, store, answer; nothing is worked inside the request."""

import logging
from collections.abc import Callable
from datetime import datetime

from flask import Flask, Request, Response, jsonify, request
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError

from bot.base import RepowrightError
from bot.runs.deliveries import Deliveries, Delivery
from bot.runs.worker import Health
from bot.web.signature import is_signed

_log = logging.getLogger("repowright.web")

# https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap
LARGEST_PAYLOAD = 25 * 1024 * 1024
_LONGEST_HEADER = 100


def create_app(
    secret: SecretStr,
    deliveries: Deliveries,
    clock: Callable[[], datetime],
    *,
    stored: Callable[[], None],
    health: Callable[[], Health],
) -> Flask:
    """The Flask application. `stored` is told of every new delivery. Raise RepowrightError
    without a secret: unsigned deliveries would let anybody start a run."""
    key = secret.get_secret_value().encode()
    if not key:
        raise RepowrightError(
            "there is no webhook secret",
            hint="set REPOWRIGHT_WEBHOOK_SECRET to the secret that GitHub signs deliveries with",
        )
    app = Flask("repowright", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_PAYLOAD
    # Form-encoded payloads are read as bytes too.
    app.config["MAX_FORM_MEMORY_SIZE"] = LARGEST_PAYLOAD

    @app.post("/webhook")
    def webhook() -> tuple[Response, int]:
        body = request.get_data(cache=False, parse_form_data=False)
        if not is_signed(key, body, request.headers.get("X-Hub-Signature-256", "")):
            return _answer("the signature is wrong", 401)
        delivery = _delivery(request, body, clock())
        if delivery is None:
            return _answer("X-GitHub-Delivery or X-GitHub-Event is missing or too long", 400)
        if not deliveries.add(delivery):
            return _answer("known already", 202)
        stored()
        return _answer("stored", 202)

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
        _log.error("the database does not answer: %s", error)
        return _answer("the database does not answer", 503)

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


def _answer(status: str, code: int) -> tuple[Response, int]:
    return jsonify(status=status), code
