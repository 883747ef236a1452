"""The stores that the tests of this folder run against: SQLite always, Postgres where there is
one."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from bot.experience.store import SqlExperiences
from bot.experience.tables import METADATA

_DEADLINE = 30.0
_NOBODY = "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a Postgres of our own, on a socket in a temporary folder. It refuses to run as
    root, so root lends it to nobody."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    if not all(map(shutil.which, ("initdb", "postgres"))):
        pytest.skip("Postgres is not installed")
    user = pwd.getpwnam(_NOBODY).pw_uid if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="repowright-pg-", dir="/tmp") as folder:
        if user is not None:
            os.chown(folder, user, -1)
        yield from _running(Path(folder), user)


def _running(folder: Path, user: int | None) -> Iterator[str]:
    data = folder / "data"
    made = subprocess.run(
        ["initdb", "-D", data, "-A", "trust", "-U", "tester"],
        user=user,
        cwd=folder,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("Postgres makes no database here")
    options = ("-c", f"unix_socket_directories={folder}", "-c", "listen_addresses=")
    server = subprocess.Popen(
        ["postgres", "-D", data, *options],
        user=user,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(folder / ".s.PGSQL.5432", server)
        yield f"postgresql+psycopg://tester@/postgres?host={folder}"
    finally:
        server.terminate()
        server.wait(_DEADLINE)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'experience.sqlite'}"
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def store(address: str) -> Iterator[SqlExperiences]:
    _clear(address)
    opened = SqlExperiences(address)
    yield opened
    opened.close()


def _clear(address: str) -> None:
    engine = create_engine(address)
    METADATA.drop_all(engine)
    engine.dispose()


def _wait_for(socket: Path, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _DEADLINE
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.skip("Postgres does not start here")
        time.sleep(0.05)
