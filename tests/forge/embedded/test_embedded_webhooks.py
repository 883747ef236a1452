"""Webhooks as a receiver on the network sees them."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs

import pytest
from embedded_world import World

SECRET = "it is a secret"
Received = tuple[dict[str, str], bytes]


class Receiver:
    """Keeps every delivery and answers with `status`."""

    def __init__(self) -> None:
        self.deliveries: list[Received] = []
        self.status = 202
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.deliveries.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self.config = {"url": self.url, "content_type": "json"}
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def of(self, event: str) -> list[Received]:
        return [d for d in tuple(self.deliveries) if d[0]["X-GitHub-Event"] == event]

    def wait(self, event: str, count: int = 1) -> list[Received]:
        until(lambda: len(self.of(event)) >= count)
        return self.of(event)


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def test_a_delivery_is_signed_over_its_raw_bytes(world: World, receiver: Receiver) -> None:
    repository = world.repository()
    repository.create_hook(
        "web",
        {"url": receiver.url, "secret": SECRET, "content_type": "json"},
        ["issues", "issue_comment"],
    )
    receiver.wait("ping")
    issue = repository.create_issue("Ünïcode", "a\r\nb")
    issue.create_comment("/repowright run")
    headers, body = receiver.wait("issues")[0]
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={expected}"
    assert headers["X-GitHub-Delivery"]
    payload = json.loads(body)
    assert payload["action"] == "opened"
    assert payload["issue"]["body"] == "a\r\nb"
    assert payload["repository"]["full_name"] == "maintainer/project"
    assert payload["sender"]["login"] == "maintainer"
    said = json.loads(receiver.wait("issue_comment")[0][1])
    assert said["comment"]["body"] == "/repowright run"
    assert said["issue"]["number"] == issue.number


def test_a_push_is_told_for_every_ref_that_moved(world: World, receiver: Receiver) -> None:
    repository = world.filled()
    repository.create_hook("web", receiver.config, ["push"])
    clone = world.clone()
    before = world.git("rev-parse", "HEAD", cwd=clone).stdout.strip()
    after = world.commit(clone, {"new.py": "x = 1\n", "app.py": "gone\n"}, "Two files")
    world.git("tag", "v1", cwd=clone)
    refs = ["HEAD:main", "HEAD:refs/heads/b", "v1", "HEAD:refs/repowright/1", ":work"]
    world.git("push", "-q", "origin", *refs, cwd=clone)
    pushes = {p["ref"]: p for p in (json.loads(b) for _, b in receiver.wait("push", 4))}
    assert set(pushes) == {"refs/heads/main", "refs/heads/b", "refs/tags/v1", "refs/heads/work"}
    main = pushes["refs/heads/main"]
    assert (main["before"], main["after"], main["forced"]) == (before, after, False)
    assert main["commits"][0]["added"] == ["new.py"]
    assert main["commits"][0]["modified"] == ["app.py"]
    assert main["head_commit"]["message"] == "Two files"
    assert main["pusher"]["name"] == "maintainer"
    assert pushes["refs/heads/b"]["created"] is True
    assert pushes["refs/heads/work"]["deleted"] is True
    assert pushes["refs/heads/work"]["head_commit"] is None


def test_nothing_is_redelivered_by_itself_and_by_hand_under_the_same_id(
    world: World, receiver: Receiver
) -> None:
    repository = world.repository()
    hook = repository.create_hook("web", receiver.config | {"secret": SECRET}, ["issues"])
    receiver.status = 500
    repository.create_issue("Lost", "")
    first = receiver.wait("issues")[0]

    def failed() -> bool:
        return any(d.status_code == 500 for d in repository.get_hook_deliveries(hook.id))

    until(failed)
    assert len(receiver.of("issues")) == 1
    lost = next(d for d in repository.get_hook_deliveries(hook.id) if d.status_code == 500)
    assert lost.guid == first[0]["X-GitHub-Delivery"]
    receiver.status = 202
    path = f"repos/maintainer/project/hooks/{hook.id}/deliveries/{lost.id}"
    assert world.call("POST", f"{path}/attempts").status_code == 202
    second = receiver.wait("issues", 2)[1]
    assert second[1] == first[1]
    assert second[0]["X-GitHub-Delivery"] == first[0]["X-GitHub-Delivery"]
    assert second[0]["X-Hub-Signature-256"] == first[0]["X-Hub-Signature-256"]
    detail = world.call("GET", path).json()
    assert detail["response"]["payload"] == ""
    assert detail["request"]["payload"]["issue"]["title"] == "Lost"
    assert (
        world.call("GET", f"repos/maintainer/project/hooks/{hook.id}").json()["config"]["secret"]
        == "********"
    )


def test_a_receiver_that_is_away_is_noted(world: World, receiver: Receiver) -> None:
    repository = world.repository()
    hook = repository.create_hook("web", receiver.config, ["issues"])
    receiver.wait("ping")
    receiver.close()
    repository.create_issue("Nobody home", "")
    until(lambda: any(d.status_code == 502 for d in repository.get_hook_deliveries(hook.id)))


def test_an_app_hears_of_its_repositories_only(world: World, receiver: Receiver) -> None:
    store = world.github.store
    store.hooks.create(receiver.url, app=world.seeded.app, events=("*",), secret=SECRET)
    other = world.client().get_user().create_repo("other")
    other.create_issue("Elsewhere", "")
    world.repository().create_issue("Here", "")
    told = json.loads(receiver.wait("issues")[0][1])
    assert told["repository"]["name"] == "project"
    assert told["installation"]["id"] == world.seeded.installation.id
    assert len(receiver.of("issues")) == 1


def test_pull_request_events_follow_the_pull_request(world: World, receiver: Receiver) -> None:
    repository = world.filled()
    repository.create_hook("web", receiver.config, ["*"])
    pull = repository.create_pull(title="P", body="", head="work", base="main")
    pull.create_review(event="COMMENT", comments=[{"path": "app.py", "line": 15, "body": "hm"}])
    clone = world.clone()
    world.git("checkout", "-q", "work", cwd=clone)
    head = world.commit(clone, {"more.py": ""})
    world.git("push", "-q", "origin", "work", cwd=clone)
    repository.get_pull(pull.number).merge()
    receiver.wait("pull_request", 3)
    seen = [json.loads(body) for _, body in receiver.of("pull_request")]
    by_action = {payload["action"]: payload for payload in seen}
    assert set(by_action) == {"opened", "synchronize", "closed"}
    assert by_action["synchronize"]["after"] == head
    assert by_action["closed"]["pull_request"]["merged"] is True
    review = json.loads(receiver.wait("pull_request_review")[0][1])
    assert review["review"]["state"] == "commented"
    inline = json.loads(receiver.wait("pull_request_review_comment")[0][1])
    assert inline["comment"]["path"] == "app.py"


def test_the_form_encoding_is_the_default(world: World, receiver: Receiver) -> None:
    repository = world.repository()
    repository.create_hook("web", {"url": receiver.url, "secret": SECRET}, ["issues"])
    repository.create_issue("As a form & more", "")
    headers, body = receiver.wait("issues")[0]
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert json.loads(parse_qs(body.decode())["payload"][0])["issue"]["title"] == "As a form & more"
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={expected}"


def test_an_app_gets_a_suite_for_every_push_and_hears_of_it(
    world: World, receiver: Receiver
) -> None:
    store = world.github.store
    store.hooks.create(receiver.url, app=world.seeded.app, events=("*",))
    repository = world.filled()
    requested = [json.loads(body) for _, body in receiver.wait("check_suite")]
    assert requested[0]["action"] == "requested"
    assert requested[0]["check_suite"]["app"]["slug"] == "repowright"
    commit = repository.get_branch("work").commit
    suites = list(commit.get_check_suites())
    assert [(s.app.slug, s.status, s.latest_check_runs_count) for s in suites] == [
        ("repowright", "queued", 0)
    ]
