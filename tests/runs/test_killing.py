"""The server's process is killed again and again, and the run ends as if nothing had been."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import yaml
from server_town import SECRET, Town, eventually

from bot.forge.embedded.store.rows import Issue, Repository

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import WRONG

pytestmark = pytest.mark.timeout(300)


class Process:
    """`repowright serve` as a process of its own, with a folder as its model."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.mailbox = town.folder / "mailbox"
        self.mailbox.mkdir()
        self.config = town.folder / "server.yaml"
        settings = town.server_settings(backend=f"mailbox:{self.mailbox}", poll_seconds=300)
        values = settings.model_dump(mode="json", exclude_defaults=True)
        self.config.write_text(yaml.safe_dump(values))
        self.log = town.folder / "serve.log"

    def start(self) -> None:
        command = [str(Path(sys.executable).parent / "repowright"), "serve"]
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--config", str(self.config)],
                env=os.environ | {"REPOWRIGHT_WEBHOOK_SECRET": SECRET},
                stderr=log,
            )
        eventually("the server", self._answers)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def terminate(self) -> int:
        self._process.terminate()
        return self._process.wait(timeout=60)

    def asked(self) -> list[Path]:
        return sorted(self.mailbox.glob("*.request.json"))

    def reply(self, text: str) -> None:
        """Answer all that is asked."""
        for request in self.asked():
            draft = self.mailbox / "draft"
            draft.write_text(text)
            draft.rename(request.with_name(request.name.replace(".request.json", ".reply.md")))

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.log.read_text()
        try:
            return requests.get(f"http://127.0.0.1:{self.town.port}/healthz", timeout=5).ok
        except requests.ConnectionError:
            return False


@pytest.fixture
def process(town: Town) -> Iterator[Process]:
    made = Process(town)
    yield made
    made.kill()


def legs(town: Town, place: Repository, issue: Issue) -> int:
    """How many legs the run's ref holds, -1 without a run."""
    state = town.run(place, issue)
    return state.legs if state else -1


def test_killed_after_every_leg_and_in_the_middle_of_one(town: Town, process: Process) -> None:
    place = town.repository()
    process.start()
    issue = town.open_issue(place, town.ann, "repowright")
    seen = -1
    while not process.asked():
        before = seen
        eventually(
            "another leg",
            lambda: legs(town, place, issue) > before or bool(process.asked()),  # noqa: B023
        )
        seen = legs(town, place, issue)
        process.kill()
        process.start()
    process.kill()
    process.start()
    process.reply(WRONG)
    eventually("the wait for tests", lambda: town.waits(place, issue))
    assert process.terminate() == 0
    assert len(town.branches(place)) == 1
    assert len(town.store.pulls.of(place)) == 1
    assert len(town.comments(place, issue.number)) == 1
    state = town.run(place, issue)
    assert state is not None
    assert town.store.tables.reviews.count() == len(state.rounds)
    log = process.log.read_text()
    assert "listening at" in log
    assert "error of the bot's own" not in log
    assert SECRET not in log
