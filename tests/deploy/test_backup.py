"""A disaster in the middle of a run: the server's data are lost, and an older copy, or none, is put
back. The run goes on from its ref, and nothing is said or made twice."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from deployed import DEPLOY
from server_town import Town, eventually
from sqlalchemy import make_url, text
from tally_journey import WRONG

from bot.base import Outcome, RepowrightError
from bot.bench.postgres import PostgresMissing, private_postgres
from bot.runs.database import open_database

pytestmark = pytest.mark.timeout(300)


@contextmanager
def _postgres() -> Iterator[str]:
    if shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not installed")
    try:
        with private_postgres(durable=False) as address:
            yield address
    except PostgresMissing as error:
        pytest.skip(error.sentence)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path)
    made.replies = {"code.*/write/tally/counting.py#1": WRONG}
    yield made
    made.close()


@pytest.mark.parametrize("copied", [True, False], ids=["an older copy", "nothing"])
def test_data_folder_lost(town: Town, copied: bool) -> None:
    data, copy = town.folder / "bot", town.folder / "copy"

    def restore() -> None:
        shutil.rmtree(data)
        if copied:
            shutil.copytree(copy, data)

    _drill(town, "", copy, str(data), restore)
    assert (copy / "repowright.sqlite3").exists()


def test_postgres_lost(town: Town) -> None:
    copy = town.folder / "copy"
    with _postgres() as first, _postgres() as second:

        def restore() -> None:
            shutil.rmtree(town.folder / "bot")
            dump = copy / "repowright.pgdump"
            address = make_url(second).set(drivername="postgresql").render_as_string(False)
            command = ["pg_restore", "--no-owner", "--dbname", address, str(dump)]
            subprocess.run(command, check=True, capture_output=True)

        _drill(town, first, copy, first, restore, second)


def test_a_copy_leaves_nothing_beside_a_stopped_server(tmp_path: Path) -> None:
    """Files of root's that the server's account could not write would keep it from starting."""
    data = tmp_path / "data"
    open_database(data / "repowright.sqlite3").dispose()
    before = sorted(data.iterdir())
    _backup(str(data), tmp_path / "copy")
    assert sorted(data.iterdir()) == before
    open_database(tmp_path / "copy" / "repowright.sqlite3").dispose()


def test_the_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "repowright.sqlite3"
    engine = open_database(file)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'newer'"))
    engine.dispose()
    with pytest.raises(RepowrightError) as raised:
        open_database(file)
    assert "newer version" in raised.value.sentence


def _drill(
    town: Town, database: str, copy: Path, source: str, restore: object, afterwards: str = ""
) -> None:
    assert callable(restore)
    place = town.repository()
    with town.server(database=database):
        issue = town.open_issue(place, town.ann, "repowright")
        eventually("the wait for tests", lambda: town.waits(place, issue))
        _backup(source, copy)
        heard = town.say(place, issue.number, town.ann, "/repowright status")
        eventually("a word on it", lambda: town.reactions(heard) == ["+1"])
        eventually("rest", town.is_idle)
    before = town.comments(place, issue.number)

    restore()
    # The copy says that a worker of this name lives; its silence is waited for.
    with town.server(database=afterwards, worker_timeout_seconds=3):
        eventually("rest", town.is_idle)
        assert town.comments(place, issue.number) == before
        assert town.reactions(heard) == ["+1"]
        asked = town.say(place, issue.number, town.dan, "/repowright cancel")
        eventually("the end of the run", lambda: town.outcome(place, issue) is not None)
        eventually("a word on it", lambda: town.reactions(asked) == ["+1"])
    assert town.outcome(place, issue) is Outcome.CANCELLED
    assert len(town.branches(place)) == 1
    assert len(town.store.pulls.of(place)) == 1
    state = town.run(place, issue)
    assert state is not None
    assert town.store.tables.reviews.count() == len(state.rounds)


def _backup(source: str, copy: Path) -> None:
    done = subprocess.run(
        [DEPLOY / "backup", source, copy], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
