"""`repowright serve` on a machine without credentials: from the address on the terminal to a server
that hears deliveries, as a person does it in a browser."""

import json
import os
import re
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.setup.app import app_needs
from bot.setup.kept import FILE_NAME

sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser

pytestmark = pytest.mark.timeout(240)

_ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)/setup\?code=(\S+)")


def eventually(what: str, holds: Callable[[], bool], seconds: float = 100.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.05)


class Started:
    """A `repowright serve` of its own process, and what it prints."""

    def __init__(self, folder: Path, text: str) -> None:
        config = folder / "server.yaml"
        config.write_text(text)
        hidden = ("REPOWRIGHT_", "OPENAI_API_KEY")
        environ = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve", "--config", str(config)],
            stderr=subprocess.PIPE,
            env=environ,
        )
        self.said = ""

    def read(self, seconds: float = 0.1) -> str:
        assert self.process.stderr is not None
        stream = self.process.stderr.fileno()
        while select.select([stream], [], [], seconds)[0]:
            some = os.read(stream, 65_536)
            if not some:
                break
            self.said += some.decode()
        return self.said

    def address(self) -> tuple[str, str]:
        """(base, code) as printed on the terminal."""
        running = self.process.poll
        eventually("the address", lambda: bool(_ADDRESS.search(self.read()) or running()))
        found = _ADDRESS.search(self.said)
        assert found is not None, self.said
        return found[1], found[2]

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.read()
        return code


@pytest.fixture
def github(tmp_path: Path) -> Iterator[EmbeddedGitHub]:
    with EmbeddedGitHub(tmp_path / "github", maintainer="ann") as running:
        ann = running.store.accounts.create("ann")
        running.store.accounts.create_organization("works", ann)
        for owner, name in (("ann", "lamp"), ("ann", "desk"), ("works", "mill")):
            account = running.store.accounts.by_login(owner)
            running.store.repositories.create(account, name, Actor(ann))
        yield running


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    (tmp_path / "mail").mkdir()
    text = f"data: {tmp_path / 'data'}\nport: 0\nbackend: mailbox:{tmp_path / 'mail'}\n"
    made = Started(tmp_path, text)
    yield made
    made.end()


def choose(browser: Browser, github: EmbeddedGitHub, base: str, organisation: str = "") -> None:
    browser.submit(
        where="server", base=github.url, organisation=organisation, name="Build Bot", public=base
    )


def test_from_nothing_to_a_server_that_hears_deliveries(
    github: EmbeddedGitHub, started: Started, tmp_path: Path
) -> None:
    base, code = started.address()
    browser = Browser()
    browser.open(f"{base}/setup?code={code}")
    for permission in app_needs().permissions:
        assert permission.why[1:] in browser.text
    choose(browser, github, base)
    assert "Register it at GitHub" in browser.text
    browser.submit()
    assert browser.url.startswith(f"{github.url}/settings/apps/new?state=")
    assert "Create GitHub App for ann" in browser.text
    browser.submit()
    assert browser.url == f"{base}/setup/install"
    assert "Build Bot is registered" in browser.text

    eventually("the real server", lambda: requests.get(f"{base}/readyz", timeout=20).ok)
    browser.follow("/installations/new")
    browser.submit(repository="lamp")
    assert browser.url.startswith(f"{base}/setup/installed?installation_id=")
    eventually("the first delivery", lambda: _opened(browser, base, "Repowright is ready"))
    assert "ann/lamp" in browser.text
    assert "ann/desk" not in browser.text

    app = github.store.apps.find("build-bot")
    assert app is not None
    needed = {p.name: p.level for p in app_needs().permissions}
    assert app.permissions == needed
    kept = tmp_path / "data" / FILE_NAME
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    told = json.loads(kept.read_text())
    assert told["app_id"] == str(app.id)
    assert started.end() == 0
    for secret in ("private_key", "webhook_secret", "client_secret"):
        assert told[secret]
        assert told[secret] not in started.said


def test_an_organisations_app_and_a_restart_that_needs_no_setup(
    github: EmbeddedGitHub, started: Started, tmp_path: Path
) -> None:
    base, code = started.address()
    browser = Browser()
    browser.open(f"{base}/setup?code={code}")
    choose(browser, github, base, organisation="works")
    browser.submit()
    assert "/organizations/works/settings/apps/new?state=" in browser.url
    browser.submit(name="Mill Bot")
    assert "Mill Bot is registered" in browser.text
    app = github.store.apps.find("mill-bot")
    assert app is not None
    assert app.owner_id == github.store.accounts.by_login("works").id
    assert started.end() == 0
    again = Started(tmp_path, (tmp_path / "server.yaml").read_text())
    eventually("the server", lambda: "/webhook, data in" in again.read())
    assert "setup?code" not in again.said
    assert again.end() == 0


def test_strangers_at_the_port_learn_and_do_nothing(
    github: EmbeddedGitHub, started: Started
) -> None:
    base, code = started.address()
    stranger = Browser()
    for path in ("/", "/setup", "/setup?code=guess", "/setup/install", "/setup/installed"):
        stranger.open(base + path)
        assert "This server is not set up yet" in stranger.text
        assert "permission" not in stranger.text
    for path in ("/setup", "/setup/retry"):
        answer = requests.post(base + path, data={"name": "x"}, timeout=20)
        assert answer.status_code == 403
    back = requests.get(f"{base}/setup/registered?code=abc&state=def", timeout=20)
    assert back.status_code == 403
    assert requests.post(f"{base}/webhook", data=b"{}", timeout=20).status_code == 503
    assert requests.get(f"{base}/readyz", timeout=20).status_code == 503
    assert requests.get(f"{base}/healthz", timeout=20).ok

    owner = Browser()
    owner.open(f"{base}/setup?code={code}")
    assert "What the App may do" in owner.text
    stranger.open(f"{base}/setup?code={code}")
    assert "was used already" in stranger.text
    for header in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"):
        assert header in owner.answer.headers
    assert "default-src 'none'" in owner.answer.headers["Content-Security-Policy"]


def test_only_the_journey_that_was_begun_here_leads_back(
    github: EmbeddedGitHub, started: Started, tmp_path: Path
) -> None:
    base, code = started.address()
    browser = Browser()
    browser.open(f"{base}/setup?code={code}")
    browser.open(f"{base}/setup/registered?code=theirs&state=theirs")
    assert browser.answer.status_code == 403
    browser.open(f"{base}/setup")
    choose(browser, github, base)
    state = browser.forms[0].action.partition("state=")[2]
    browser.open(f"{base}/setup/registered?code=made-up&state={state}")
    assert "GitHub does not know the code" in browser.text
    browser.open(f"{base}/setup/registered?code=made-up&state={state}")
    assert browser.answer.status_code == 403
    assert not (tmp_path / "data" / FILE_NAME).exists()
    browser.open(f"{base}/setup")
    forged = Browser()
    forged.open(f"{base}/setup")
    answer = requests.post(
        f"{base}/setup",
        data={"token": "wrong", "name": "x"},
        cookies=browser._session.cookies,
        timeout=20,
    )
    assert answer.status_code == 403


def test_what_is_wrong_with_the_form_stands_beside_each_field(started: Started) -> None:
    base, code = started.address()
    browser = Browser()
    browser.open(f"{base}/setup?code={code}")
    browser.submit(
        where="server",
        base="http://github.example.com",
        organisation="no/login",
        name="x" * 40,
        public="https://bot.example.com/webhook",
    )
    assert browser.answer.status_code == 422
    assert "4 answers need another look" in browser.text
    assert "Use https: what is sent there is secret." in browser.text
    assert "This is no name of an organisation." in browser.text
    assert "at most 34" in browser.text
    assert "without a path" in browser.text
    assert browser.forms[0].values["public"] == "https://bot.example.com/webhook"


def _opened(browser: Browser, base: str, text: str) -> bool:
    browser.open(f"{base}/setup/installed")
    return text in browser.text
