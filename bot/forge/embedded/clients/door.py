"""A Unix socket beside the port, for `gh`, which knows no plain HTTP on a port."""

import os
import shutil
import socket
from pathlib import Path
from tempfile import mkdtemp
from typing import Self

from flask import Flask

from bot.forge.embedded.clients.settings import ClientSettings
from bot.forge.embedded.clients.signing import Entrance, forget_entrance, sign_in
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.rows import Account

_LONGEST = 100
_THREADS = 8


class ClientDoor:
    """Serves `app` on a socket that only this user can open. Where the system has no Unix
    sockets, `gh` cannot be used and everything else can."""

    def __init__(self, app: Flask, store: Store, url: str, folder: Path) -> None:
        self._app = app
        self._store = store
        self._url = url
        self._folder = folder.resolve()
        self._temporary: Path | None = None
        self.socket: Path | None = None

    def start(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        if hasattr(socket, "AF_UNIX"):
            self._open()
        self._entrance.write(self._folder)
        return self

    def _open(self) -> None:
        self.socket = self._place()
        self._server = BackgroundServer(
            self._app,
            "embedded-github-gh",
            unix_socket=str(self.socket),
            unix_socket_perms="600",
            threads=_THREADS,
        ).start()

    def stop(self) -> None:
        forget_entrance(self._folder)
        if self.socket is None:
            return
        self._server.stop()
        self.socket.unlink(missing_ok=True)
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
        self.socket = None

    def sign_in(self, account: Account) -> ClientSettings:
        """Settings for a person; also written to the folder, under the login."""
        return sign_in(self._folder, self._entrance, self._store, account)

    @property
    def _entrance(self) -> Entrance:
        return Entrance(url=self._url, socket=self.socket)

    def _place(self) -> Path:
        """In the folder, or in a private one of a shorter name: the system limits the length."""
        path = self._folder / "gh.sock"
        if len(os.fsencode(path)) <= _LONGEST:
            return path
        self._temporary = Path(mkdtemp(prefix="repowright-"))
        return self._temporary / "gh.sock"
