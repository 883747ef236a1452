"""What the bot asks of GitHub, and what the embedded GitHub answers, held against GitHub's own
description of its API."""

import json
from pathlib import Path

import pytest
import requests

from bot.bench.api.audit import audit
from bot.bench.api.deliveries import audit_deliveries
from bot.bench.api.description import Description
from bot.bench.api.exchange import Exchange
from bot.bench.api.judge import judge_answer, judge_request
from bot.bench.api.measure import PLENTY, Said, ran, record, walked
from bot.bench.api.tour.walk import UNDESCRIBED
from bot.bench.faults.world import Story
from bot.doctor.examination import examine
from bot.forge.embedded.seed import seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.serverconfig import ServerSettings

# The descriptions are read once a process.
pytestmark = pytest.mark.xdist_group("contract")


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Said:
    return walked(tmp_path_factory.mktemp("walk"))


def test_every_operation_answers_as_github_describes_it(
    described: tuple[Description, ...], walk: Said
) -> None:
    assert walk.unvisited == ()
    told = audit(walk.exchanges, described, requests=True)
    assert told.mismatches == ()
    assert len(told.operations) > 185


def test_every_delivery_is_as_github_describes_it(
    payloads_described: Description, walk: Said
) -> None:
    told = audit_deliveries(walk.deliveries, payloads_described)
    assert told.mismatches == ()
    assert {"issues.opened", "pull_request.closed", "push", "workflow_run.completed"} <= set(
        told.events
    )


def test_a_whole_run_asks_what_github_describes(
    described: tuple[Description, ...], payloads_described: Description, tmp_path: Path
) -> None:
    said = ran(tmp_path, Story.APP)
    told = audit(said.exchanges, described, requests=True)
    assert told.mismatches == ()
    assert {"pulls/create", "pulls/create-review", "checks/create", "git/create-ref"} <= set(
        told.operations
    ) | {"git/create-ref"}
    assert audit_deliveries(said.deliveries, payloads_described).mismatches == ()


def test_the_doctor_asks_what_github_describes(
    described: tuple[Description, ...], tmp_path: Path
) -> None:
    github = EmbeddedGitHub(tmp_path / "github", limits=PLENTY)
    recorder = record(github)
    key = tmp_path / "app.pem"
    with github:
        seeded = seed(github.store)
        key.write_text(seeded.private_key)
        settings = ServerSettings(
            api_url=github.api_url,
            app_id=str(seeded.app.id),
            private_key_path=key,
            data=tmp_path / "data",
        )
        examine(settings, {"REPOWRIGHT_WEBHOOK_SECRET": "a long and random secret, honestly"})
    told = audit(recorder.exchanges, described, requests=True)
    assert told.exchanges > 3
    assert told.mismatches == ()


def test_the_undescribed_addresses_are_indeed_not_described(
    described: tuple[Description, ...],
) -> None:
    for route in UNDESCRIBED - {"GET /repos/<owner>/<repo>/git/matching-refs/"}:
        method, _, rule = route.partition(" ")
        path = rule.replace("<any(zipball, tarball):form>", "zipball").replace("<path:name>", "x")
        assert all(by.find(method, path) is None for by in described), route


# The check itself


def exchange(
    method: str, path: str, *, query: str = "", sent: object = None, status: int = 200, body: object
) -> Exchange:
    counts = dict.fromkeys(("limit", "remaining", "used", "reset"), "1")
    headers = {f"x-ratelimit-{name}": value for name, value in counts.items()} | {
        "content-type": "application/json",
        "etag": '"x"',
        "x-github-request-id": "x",
        "x-github-media-type": "github.v3",
    }
    return Exchange(
        method=method,
        path=path,
        query=query,
        sent_headers={},
        sent=json.dumps(sent).encode() if sent is not None else b"",
        status=status,
        headers=headers,
        body=json.dumps(body).encode(),
    )


LABEL = {
    "id": 1,
    "node_id": "x",
    "url": "https://api.example.org/x",
    "name": "bug",
    "description": None,
    "color": "ffffff",
    "default": False,
}
LABELS = "/repos/ann/lamp/labels"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({}, ""),
        ({"id": "1"}, 'id: "1" is not of type "integer"'),
        ({"id": None}, 'id: null is not of type "integer"'),
        ({"url": "no address"}, 'url: "no address" is not a "uri"'),
        ({"shade": "dark"}, "shade is not described"),
    ],
)
def test_a_wrong_answer_is_told(
    described: tuple[Description, ...], changed: dict[str, object], what: str
) -> None:
    for by in described:
        found = judge_answer(exchange("GET", f"{LABELS}/bug", body=LABEL | changed), by)
        assert [m.what for m in found] == ([what] if what else [])


def test_a_missing_field_a_wrong_status_and_a_wrong_header_are_told(
    described: tuple[Description, ...],
) -> None:
    by = described[0]
    short = {k: v for k, v in LABEL.items() if k != "color"}
    (found,) = judge_answer(exchange("GET", f"{LABELS}/bug", body=short), by)
    assert found.what == 'the whole: "color" is a required property'
    (found,) = judge_answer(exchange("GET", f"{LABELS}/bug", status=202, body=LABEL), by)
    assert found.what == "the status is not described"
    said = exchange("GET", f"{LABELS}/bug", body=LABEL)
    said.headers["link"] = "page 2"
    (found,) = judge_answer(said, by)
    assert found.what == "header link: page 2"


@pytest.mark.parametrize(
    ("method", "path", "query", "sent", "what"),
    [
        ("POST", LABELS, "", {"name": "bug"}, ""),
        ("GET", LABELS, "per_page=5", None, ""),
        ("POST", LABELS, "", {}, 'body: the whole: "name" is a required property'),
        ("POST", LABELS, "", None, "the body is missing"),
        ("POST", LABELS, "", {"name": "bug", "shade": "x"}, "body: shade is not described"),
        ("GET", LABELS, "shade=dark", None, "query parameter shade is not described"),
        ("GET", LABELS, "per_page=many", None, 'parameter per_page: the whole: "many" is not of'),
        ("GET", f"{LABELS}/bug", "", {"a": 1}, "there is a body, and none is described"),
        ("GET", "/repos/ann/lamp/lights", "", None, "there is no such operation"),
    ],
)
def test_a_wrong_request_is_told(
    described: tuple[Description, ...],
    method: str,
    path: str,
    query: str,
    sent: object,
    what: str,
) -> None:
    for by in described:
        said = exchange(method, path, query=query, sent=sent, body={})
        found = judge_request(said, by)
        assert len(found) == bool(what)
        assert not what or found[0].what.startswith(what)


def test_what_goes_through_the_recorder_is_what_was_said(tmp_path: Path) -> None:
    github = EmbeddedGitHub(tmp_path)
    recorder = record(github)
    with github:
        answer = requests.get(f"{github.api_url}/repos/ann/lamp?x=1", timeout=20)
        requests.get(f"{github.url}/ann/lamp", timeout=20)
    (said,) = recorder.exchanges
    assert (said.method, said.path, said.query) == ("GET", "/repos/ann/lamp", "x=1")
    assert (said.status, said.body) == (404, answer.content)
