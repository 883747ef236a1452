"""A Unix socket beside the port, for `gh`, which knows no plain HTTP on a port."""

import os
import shutil
import socket
from pathlib import Path
from tempfile import mkdtemp
from typing import Self

from flask import Flask

from bot.forge.embedded.clients.settings import ClientSettings, saved_token, write_settings
from bot.forge.embedded.serving import BackgroundServer
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.errors import Refused
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
        self._folder = folder
        self._temporary: Path | None = None
        self.socket: Path | None = None

    def start(self) -> Self:
        if not hasattr(socket, "AF_UNIX"):
            return self
        self._folder.mkdir(parents=True, exist_ok=True)
        self.socket = self._place()
        self._server = BackgroundServer(
            self._app,
            "embedded-github-gh",
            unix_socket=str(self.socket),
            unix_socket_perms="600",
            threads=_THREADS,
        ).start()
        return self

    def stop(self) -> None:
        if self.socket is None:
            return
        self._server.stop()
        self.socket.unlink(missing_ok=True)
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
        self.socket = None

    def sign_in(self, account: Account) -> ClientSettings:
        """Settings for an account, with the token of last time where it is still good."""
        folder = self._folder / account.login
        return write_settings(
            folder,
            url=self._url,
            socket=self.socket,
            login=account.login,
            token=self._good(saved_token(folder), account)
            or self._store.tokens.create_personal(account),
        )

    def _good(self, token: str | None, account: Account) -> str | None:
        if not token:
            return None
        try:
            actor = self._store.tokens.actor(token)
        except Refused:
            return None
        return token if actor.account is not None and actor.account.id == account.id else None

    def _place(self) -> Path:
        """In the folder, or in a private one of a shorter name: the system limits the length."""
        path = (self._folder / "gh.sock").resolve()
        if len(os.fsencode(path)) <= _LONGEST:
            return path
        self._temporary = Path(mkdtemp(prefix="repowright-"))
        return self._temporary / "gh.sock"
