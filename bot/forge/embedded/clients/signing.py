"""Giving a person settings and a token, in the server's process or beside it."""

import json
from pathlib import Path

from bot.base import Data, RepowrightError
from bot.forge.embedded.clients.settings import ClientSettings, saved_token, write_settings
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Account

_FILE = "entrance.json"
_INSIDE = Path(".repowright") / "github"


class Entrance(Data):
    """Where a running server is reached; kept in its folder of clients while it runs."""

    url: str
    socket: Path | None

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(self.model_dump_json(), "utf-8")


def forget_entrance(folder: Path) -> None:
    (folder / _FILE).unlink(missing_ok=True)


def sign_in(folder: Path, entrance: Entrance, store: Store, account: Account) -> ClientSettings:
    """Write settings to `folder`/LOGIN, with the token of last time where it is still good."""
    own = folder / account.login
    token = saved_token(own)
    if token is None or not _is_good(store, token, account):
        token = store.tokens.create_personal(account)
    return write_settings(
        own, url=entrance.url, socket=entrance.socket, login=account.login, token=token
    )


def sign_in_beside(data: Path, login: str) -> ClientSettings:
    """The same for the server that runs on a data folder in another process; an account that is
    not there yet is made. `data` is the server's own folder, or the one given to `repowright`.

    Raises RepowrightError where no server runs there or the login is no person's.
    """
    home = next((h for h in (data, data / _INSIDE) if (h / "clients" / _FILE).is_file()), None)
    if home is None:
        raise RepowrightError(
            "no embedded GitHub runs on this folder",
            where=str(data),
            hint="start one with `repowright embedded`, or name its folder with --data",
        )
    folder = (home / "clients").resolve()
    entrance = Entrance.model_validate(json.loads((folder / _FILE).read_text("utf-8")))
    store = Store(home)
    try:
        account = store.accounts.find(login) or store.accounts.create(login)
        if account.kind != "User":
            raise RepowrightError("only people sign in", where=login, hint="take another login")
        return sign_in(folder, entrance, store, account)
    except Refused as refused:
        raise RepowrightError(refused.text, where=login) from refused
    finally:
        store.close()


def _is_good(store: Store, token: str, account: Account) -> bool:
    try:
        actor = store.tokens.actor(token)
    except Refused:
        return False
    return actor.account is not None and actor.account.id == account.id
