"""What GitHub, and anybody else, gets for a delivery."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests
from pydantic import SecretStr
from webhook_endpoint import Endpoint, signature

from bot.base import RepowrightError
from bot.runs.database import open_database
from bot.runs.deliveries import SqlDeliveries
from bot.runs.worker import Health
from bot.web.webhook import LARGEST_PAYLOAD, create_app

BODY = b'{"action": "opened",\r\n "title": "Gr\xc3\xbc\xc3\x9fe"}'


def test_a_signed_delivery_is_stored_as_it_came(endpoint: Endpoint) -> None:
    answer = endpoint.post(BODY)
    assert (answer.status_code, answer.json()) == (202, {"status": "stored"})
    (kept,) = endpoint.deliveries.pending(10)
    assert kept.body == BODY
    assert kept.headers == {"x-github-event": "issues", "content-type": "application/json"}
    assert len(endpoint.bells) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        signature(BODY, "another secret"),
        signature(BODY + b" "),
        signature(BODY).removeprefix("sha256="),
        signature(BODY).upper(),
        signature(BODY).replace("sha256", "sha1"),
        "sha256=é" + "0" * 63,
        "sha256=" + "0" * 7000,
    ],
)
def test_a_wrong_signature_is_refused_and_nothing_stored(endpoint: Endpoint, wrong: str) -> None:
    answer = endpoint.post(BODY, X_Hub_Signature_256=wrong.encode().decode("latin-1"))
    assert answer.status_code == 401
    assert endpoint.deliveries.pending(10) == ()
    assert endpoint.bells == []


def test_the_legacy_signature_alone_is_not_enough(endpoint: Endpoint) -> None:
    answer = endpoint.post(BODY, X_Hub_Signature_256="", X_Hub_Signature="sha1=" + "0" * 40)
    assert answer.status_code == 401


def test_a_delivery_sent_twice_is_stored_once(endpoint: Endpoint) -> None:
    assert endpoint.post(BODY).status_code == 202
    again = endpoint.post(BODY)
    assert (again.status_code, again.json()) == (202, {"status": "known already"})
    assert len(endpoint.deliveries.pending(10)) == 1


def test_a_settled_delivery_is_not_worked_again(endpoint: Endpoint) -> None:
    endpoint.post(BODY)
    (kept,) = endpoint.deliveries.pending(10)
    endpoint.deliveries.settle(kept.id, "worked")
    assert endpoint.post(BODY).json() == {"status": "known already"}
    assert endpoint.deliveries.pending(10) == ()


def test_one_of_many_equal_deliveries_at_once_is_stored(endpoint: Endpoint) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: endpoint.post(BODY), range(16)))
    assert {a.status_code for a in answers} == {202}
    assert [a.json()["status"] for a in answers].count("stored") == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"X_GitHub_Delivery": ""},
        {"X_GitHub_Event": ""},
        {"X_GitHub_Delivery": "x" * 101},
        {"X_GitHub_Event": "x" * 101},
    ],
)
def test_a_signed_request_that_is_no_delivery_is_refused(
    endpoint: Endpoint, headers: dict[str, str]
) -> None:
    assert endpoint.post(BODY, **headers).status_code == 400
    assert endpoint.deliveries.pending(10) == ()


def test_a_payload_over_githubs_limit_is_refused(endpoint: Endpoint) -> None:
    answer = endpoint.post(b"x" * (LARGEST_PAYLOAD + 1))
    assert answer.status_code == 413
    assert endpoint.deliveries.pending(10) == ()


def test_a_form_encoded_delivery_is_signed_over_the_form(endpoint: Endpoint) -> None:
    body = urlencode({"payload": '{"action": "opened"}'}).encode()
    answer = endpoint.post(body, Content_Type="application/x-www-form-urlencoded")
    assert answer.status_code == 202
    (kept,) = endpoint.deliveries.pending(10)
    assert kept.body == body


def test_other_addresses_and_verbs_have_nothing_to_say(endpoint: Endpoint) -> None:
    assert requests.get(f"{endpoint.url}/webhook", timeout=20).status_code == 405
    assert requests.get(f"{endpoint.url}/", timeout=20).status_code == 404
    assert requests.get(f"{endpoint.url}/static/x", timeout=20).status_code == 404


def test_health_and_readiness(endpoint: Endpoint) -> None:
    assert requests.get(f"{endpoint.url}/healthz", timeout=20).status_code == 200
    endpoint.post(BODY)
    ready = requests.get(f"{endpoint.url}/readyz", timeout=20)
    assert (ready.status_code, ready.json()["deliveries"]) == (200, 1)
    endpoint.working = False
    assert requests.get(f"{endpoint.url}/readyz", timeout=20).status_code == 503


def test_without_a_secret_there_is_no_endpoint(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "bot.sqlite3")
    with pytest.raises(RepowrightError) as refused:
        create_app(
            SecretStr(""),
            SqlDeliveries(engine),
            lambda: datetime(2026, 1, 2, tzinfo=UTC),
            stored=lambda: None,
            health=lambda: Health(working=True, deliveries=0, tasks=0),
        )
    engine.dispose()
    assert str(refused.value) == (
        "there is no webhook secret "
        "(set REPOWRIGHT_WEBHOOK_SECRET to the secret that GitHub signs deliveries with)"
    )


def test_a_database_that_refuses_is_told_to_github(endpoint: Endpoint, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "bot.sqlite3") as connection:
        connection.execute("ALTER TABLE deliveries RENAME TO away")
    answer = endpoint.post(BODY)
    told = answer.json()["status"]
    assert answer.status_code == 503
    assert told.startswith("The server's database, which the setting `database` names, does not")
    assert "Have it answer again" in told
    assert requests.get(f"{endpoint.url}/readyz", timeout=20).json() == {"status": told}
