"""A Postgres of one's own for as long as a bench or a test lasts, so that neither needs a server
that somebody has set up."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.base import RepowrightError

_DEADLINE = 90.0
_LENT_TO = "nobody"
_OWNER = "repowright"
_SOCKET = ".s.PGSQL.5432"
# https://www.postgresql.org/docs/current/non-durability.html
_HASTY = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


class PostgresMissing(RepowrightError):
    """No Postgres can be started on this machine."""

    def __init__(self, what: str) -> None:
        super().__init__(what, hint="install it, such as with `apt-get install postgresql`")


@contextmanager
def private_postgres(*, durable: bool = True) -> Iterator[str]:
    """Yield the SQLAlchemy address of an empty database on a socket in a temporary folder; the
    server is gone afterwards. Without `durable` it does not wait for the disk, as tests that kill
    nothing like it. Postgres refuses to run as root, so root lends it to `nobody`. Raise
    PostgresMissing where it is not installed or does not start."""
    programs = _programs()
    user = pwd.getpwnam(_LENT_TO).pw_uid if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="repowright-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if user is not None:
            os.chown(folder, user, -1)
        _make_cluster(programs, folder, user)
        with _running(programs, folder, user, () if durable else _HASTY):
            yield f"postgresql+psycopg://{_OWNER}@/postgres?host={folder}"


def _programs() -> Path:
    """The folder of `initdb` and `postgres`; Debian keeps it out of PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if versions:
        return versions[-1].parent
    raise PostgresMissing("Postgres is not installed")


def _version(initdb: Path) -> int:
    name = initdb.parent.parent.name
    return int(name) if name.isdecimal() else 0


def _make_cluster(programs: Path, folder: Path, user: int | None) -> None:
    made = subprocess.run(
        [
            *(programs / "initdb", "--pgdata", folder / "data", "--username", _OWNER),
            *("--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"),
        ],
        user=user,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if made.returncode:
        raise PostgresMissing(f"Postgres makes no database: {_last_line(made.stderr)}")


@contextmanager
def _running(
    programs: Path, folder: Path, user: int | None, options: tuple[str, ...]
) -> Iterator[None]:
    places = ("-c", f"unix_socket_directories={folder}", "-c", "listen_addresses=")
    log = folder / "log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", *places, *options],
            user=user,
            cwd=folder,
            stdout=output,
            stderr=output,
        )
    try:
        _wait_for(folder / _SOCKET, server, log)
        yield
    finally:
        # SIGTERM would wait until the last client has gone.
        # https://www.postgresql.org/docs/current/server-shutdown.html
        server.send_signal(signal.SIGINT)
        server.wait(_DEADLINE)


def _wait_for(socket: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _DEADLINE
    while not (socket.exists() and "ready to accept" in log.read_text("utf-8", "replace")):
        if server.poll() is not None or time.monotonic() > deadline:
            raise PostgresMissing(
                f"Postgres does not start: {_last_line(log.read_text('utf-8', 'replace'))}"
            )
        time.sleep(0.05)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[-1]
