"""A server on loopback that says whatever a test wants it to, and a forge that asks it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_corpus import TOKEN
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[1] / "forge" / "github"))
from loopback import Reply, Scripted

from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import GivenToken
from bot.forge.github.forge import GitHubForge
from bot.forge.github.pace import Clock


@pytest.fixture
def liar() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def client(liar: Scripted) -> GitHubClient:
    """It waits for nothing: a wait only moves the time on."""
    now = [1_800_000_000.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    settings = GitHubSettings(
        api_url=f"{liar.url}/api/v3", repository="ann/lamp", seconds_between_writes=0, timeout=5
    )
    clock = Clock(now=lambda: now[0], sleep=sleep)
    return GitHubClient(settings, GivenToken(token=SecretStr(TOKEN)), clock=clock)


@pytest.fixture
def forge(liar: Scripted, client: GitHubClient) -> GitHubForge:
    """A forge whose repository has been looked at already."""
    url = f"{liar.url}/api/v3/repos/ann/lamp"
    found = {"url": url, "html_url": f"{liar.url}/ann/lamp", "full_name": "ann/lamp", "id": 1}
    liar.script = [Reply(200, body=json.dumps(found).encode())]
    assert client.repository.url == url
    liar.seen.clear()
    return GitHubForge(client)
