"""What GitHub sends, and what it never would, posted to the real server of the bot."""

import itertools
import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
import requests
from hostile_payloads import TEXTS, broken, cases, slim
from published import Example, first, headers_of, signature
from server_town import SECRET, Town, eventually

FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A server of the bot, on a GitHub that knows none of the examples' repositories."""
    made = Town(tmp_path_factory.mktemp("town"))
    made.server(sweep_minutes=60.0).start()
    yield made
    made.close()


def post(town: Town, body: bytes, event: str, **changes: str | None) -> requests.Response:
    """With a good signature and all headers, but for those given; None leaves one out."""
    headers: dict[str, str | None] = dict(headers_of(event, signature(SECRET, body)))
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    address = f"http://127.0.0.1:{town.port}/webhook"
    sent = {name: value for name, value in headers.items() if value is not None}
    return requests.post(address, data=body, headers=sent, timeout=60)


def works(town: Town) -> bool:
    """Whether the server has read all that it was sent, and goes on."""
    eventually("all deliveries are read", lambda: town.readiness()["deliveries"] == 0)
    return requests.get(f"http://127.0.0.1:{town.port}/readyz", timeout=20).status_code == 200


def test_every_example_is_taken_and_worked(town: Town, examples: list[Example]) -> None:
    """Half of them form-encoded, as a webhook may be set to be."""

    def send(pair: tuple[int, Example]) -> tuple[int, str]:
        number, example = pair
        if number % 2:
            form = urlencode({"payload": example.body.decode()}).encode()
            answer = post(town, form, example.event, Content_Type=FORM)
        else:
            answer = post(town, example.body, example.event)
        return answer.status_code, answer.json()["status"]

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(send, enumerate(examples)))
    assert answers == {(202, "stored")}
    assert works(town)


def test_no_example_is_taken_with_a_bad_signature(town: Town, examples: list[Example]) -> None:
    """What was refused has left nothing: sent again with a good one it is new."""
    shown = {(e.event, e.action): e for e in examples}.values()
    for number, example in enumerate(shown):
        body, event, delivery = example.body, example.event, str(uuid.uuid4())
        good = signature(SECRET, body)
        bad = (
            None,
            "",
            good[:-1],
            signature(SECRET, body + b"\n"),
            signature("another secret", body),
            signature(SECRET, body, "sha1"),
            good.removeprefix("sha256="),
        )[number % 7]
        refused = post(
            town,
            body,
            event,
            X_Hub_Signature_256=bad,
            X_Hub_Signature=signature(SECRET, body, "sha1"),
            X_GitHub_Delivery=delivery,
        )
        assert refused.status_code == 401
        again = post(town, body, event, X_GitHub_Delivery=delivery)
        assert (again.status_code, again.json()["status"]) == (202, "stored")
    assert works(town)


def test_a_form_is_not_signed_by_the_payload_within(town: Town, examples: list[Example]) -> None:
    payload = first(examples, "issues", "labeled").body
    form = urlencode({"payload": payload.decode()}).encode()
    within = signature(SECRET, payload)
    answer = post(town, form, "issues", Content_Type=FORM, X_Hub_Signature_256=within)
    assert answer.status_code == 401


def test_the_server_goes_on_after_hostile_payloads(town: Town, examples: list[Example]) -> None:
    for event in ("issues", "check_run"):
        for text in TEXTS:
            assert post(town, text, event).status_code == 202
    for example in cases(examples):
        for body in itertools.islice(broken(slim(example.payload), 1), 0, None, 7):
            assert post(town, body, example.event).status_code == 202
    assert works(town)


def test_the_server_goes_on_after_wrong_values_in_what_it_reads(
    town: Town, examples: list[Example]
) -> None:
    label = {"name": town.settings.label}
    example = first(examples, "issues", "labeled").changed(("label",), label)
    read = ("action", "label", "issue", "sender", "repository", "installation")
    for part in read:
        payload = slim(example.payload) | {"installation": {"id": town.installation.id}}
        inner = payload[part]
        kept = {"number", "updated_at", "labels", "login", "type", "full_name", "name", "id"}
        if isinstance(inner, dict):
            payload[part] = {k: v for k, v in inner.items() if k in kept}
        for body in broken({part: payload.pop(part)}, 3):
            whole = json.dumps(payload | json.loads(body)).encode()
            assert post(town, whole, "issues").status_code == 202
    assert works(town)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"X_Hub_Signature_256": None}, 401),
        ({"X_GitHub_Event": None}, 400),
        ({"X_GitHub_Delivery": None}, 400),
        ({"X_GitHub_Delivery": "x" * 5000}, 400),
        ({"Content_Type": None}, 202),
        ({"Content_Type": "text/html; charset=utf-7"}, 202),
        ({"User_Agent": None}, 202),
        ({"X_GitHub_Event": "issues\xe9"}, 202),
    ],
)
def test_headers_that_are_missing_or_odd(
    town: Town, changes: dict[str, str | None], status: int
) -> None:
    assert post(town, b'{"action": "opened"}', "issues", **changes).status_code == status
    assert works(town)


def test_what_is_larger_than_github_sends_is_refused(town: Town) -> None:
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap"""
    cap = 25 * 1024 * 1024
    delivery = str(uuid.uuid4())
    over = post(town, b" " * (cap + 1), "issues", X_GitHub_Delivery=delivery)
    assert over.status_code == 413
    at = post(town, b" " * cap, "issues", X_GitHub_Delivery=delivery)
    assert (at.status_code, at.json()["status"]) == (202, "stored")
