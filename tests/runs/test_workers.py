"""Workers on one Postgres: what one was doing when it died, another goes on with."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import yaml
from server_town import Town, eventually, free_port
from sqlalchemy import func, select

from bot.bench.postgres import PostgresMissing, private_postgres
from bot.runs.database import open_database
from bot.runs.tables import CALLS

sys.path.insert(0, str(Path(__file__).parent.parent / "journeys"))
from tally_journey import WRONG

pytestmark = pytest.mark.timeout(300)


class Crew:
    """`repowright worker` as processes with data folders of their own and one mailbox."""

    def __init__(self, town: Town, database: str) -> None:
        self.town = town
        self.database = database
        self.mailbox = town.folder / "mailbox"
        self.mailbox.mkdir()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._ports: dict[str, int] = {}

    def calls(self) -> int:
        """How many model calls and reservations the database keeps."""
        engine = open_database(self.database)
        try:
            with engine.connect() as connection:
                return int(connection.execute(select(func.count()).select_from(CALLS)).scalar_one())
        finally:
            engine.dispose()

    def start(self, name: str) -> None:
        """Return when the worker answers."""
        self._ports[name] = free_port()
        settings = self.town.server_settings(
            database=self.database,
            worker_id=name,
            data=self.town.folder / name,
            port=self._ports[name],
            backend=f"mailbox:{self.mailbox}",
            pulse_seconds=0.1,
            worker_timeout_seconds=2,
            experience="off",
        )
        config = self.town.folder / f"{name}.yaml"
        config.write_text(yaml.safe_dump(settings.model_dump(mode="json", exclude_defaults=True)))
        command = [str(Path(sys.executable).parent / "repowright"), "worker"]
        with self.log(name).open("a") as log:
            self._running[name] = subprocess.Popen(
                [*command, "--config", str(config)], env=dict(os.environ), stderr=log
            )
        eventually(f"worker {name}", lambda: self._is_ready(name))

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def terminate(self, name: str) -> int:
        process = self._running.pop(name)
        process.terminate()
        return process.wait(timeout=60)

    def kill_all(self) -> None:
        for name in list(self._running):
            self.kill(name)

    def log(self, name: str) -> Path:
        return self.town.folder / f"{name}.log"

    def asked(self) -> list[Path]:
        return sorted(self.mailbox.glob("*.request.json"))

    def reply(self, text: str) -> None:
        """Answer all that is asked."""
        for request in self.asked():
            draft = self.mailbox / "draft"
            draft.write_text(text)
            draft.rename(request.with_name(request.name.replace(".request.json", ".reply.md")))

    def _is_ready(self, name: str) -> bool:
        assert self._running[name].poll() is None, self.log(name).read_text()
        try:
            url = f"http://127.0.0.1:{self._ports[name]}"
            assert requests.post(f"{url}/webhook", timeout=5).status_code == 404
            return requests.get(f"{url}/readyz", timeout=5).ok
        except requests.ConnectionError:
            return False


@pytest.fixture
def crew(town: Town) -> Iterator[Crew]:
    try:
        with private_postgres(durable=False) as database:
            made = Crew(town, database)
            yield made
            made.kill_all()
            town.close()
    except PostgresMissing as missing:
        pytest.skip(missing.sentence)


def test_a_worker_takes_over_from_one_that_was_killed_in_the_middle_of_a_leg(
    town: Town, crew: Crew
) -> None:
    """And asks the model for nothing that was answered before."""
    place = town.repository()
    with town.server(database=crew.database, threads=0):
        crew.start("one")
        issue = town.open_issue(place, town.ann, "repowright")
        eventually("a question", lambda: bool(crew.asked()))
        crew.start("two")
        crew.kill("one")
        crew.reply(WRONG)
        eventually("the wait for tests", lambda: town.waits(place, issue))
        assert crew.terminate("two") == 0
    assert "worker one is no more; " in crew.log("two").read_text()
    assert len(town.branches(place)) == 1
    assert len(town.store.pulls.of(place)) == 1
    assert len(town.comments(place, issue.number)) == 1
    state = town.run(place, issue)
    assert state is not None
    assert town.store.tables.reviews.count() == len(state.rounds)


def test_what_a_worker_that_stops_leaves_is_taken_up_at_once(town: Town, crew: Crew) -> None:
    """Its run waits for check tests when it stops; a person's word reaches the other."""
    place = town.repository()
    with town.server(database=crew.database, threads=0):
        crew.start("one")
        issue = town.open_issue(place, town.ann, "repowright")
        eventually("a question", lambda: bool(crew.asked()))
        crew.reply(WRONG)
        eventually("the wait for tests", lambda: town.waits(place, issue))
        assert crew.terminate("one") == 0
        crew.start("two")
        asked = town.say(place, issue.number, town.ann, "/repowright cancel")
        eventually("the end", lambda: town.outcome(place, issue) is not None)
        assert town.reactions(asked) == ["+1"]
        eventually("nothing that the ref holds", lambda: crew.calls() == 0)
    assert "worker one is no more; 1 of its workflows go on" in crew.log("two").read_text()


def test_two_workers_of_one_name_are_refused(town: Town, crew: Crew) -> None:
    crew.start("one")
    settings = town.server_settings(
        database=crew.database,
        worker_id="one",
        data=town.folder / "another",
        port=free_port(),
        worker_timeout_seconds=2,
    )
    config = town.folder / "another.yaml"
    config.write_text(yaml.safe_dump(settings.model_dump(mode="json", exclude_defaults=True)))
    command = [str(Path(sys.executable).parent / "repowright"), "worker", "--config", str(config)]
    told = subprocess.run(
        command, env=os.environ | {"OPENAI_API_KEY": "none"}, capture_output=True, text=True
    )
    assert told.returncode == 1
    assert "worker_id: another worker works as `one` on this database" in told.stderr
