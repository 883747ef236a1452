"""Settings files that point `gh` and git at the embedded GitHub, one folder per account."""

import shlex
from base64 import b64encode
from copy import deepcopy
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.base import Data


class ClientSettings(Data):
    """Where the files of one account lie, and the environment that makes clients use them."""

    login: str
    folder: Path
    env_file: Path
    environment: dict[str, str]


def write_settings(
    folder: Path, *, url: str, socket: Path | None, login: str, token: str
) -> ClientSettings:
    """Write gh's configuration, a git configuration that signs in, and env.sh.

    `socket` is where `gh` finds the server: gh speaks https alone, but over a Unix socket
    (its setting http_unix_socket) it does so without TLS and without a port.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    host = urlsplit(url).hostname or ""
    _write_gh(folder / "gh", url, socket, login, token)
    basic = b64encode(f"{login}:{token}".encode()).decode()
    _write(folder / "gitconfig", _render("gitconfig.j2", url=url, host=host, basic=basic))
    environment = {
        "GH_CONFIG_DIR": str(folder / "gh"),
        "GH_HOST": host,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "include.path",
        "GIT_CONFIG_VALUE_0": str(folder / "gitconfig"),
        "GITHUB_API_URL": f"{url}/api/v3",
        "GITHUB_GRAPHQL_URL": f"{url}/api/graphql",
        "GITHUB_SERVER_URL": url,
        "EMBEDDED_GITHUB_TOKEN": token,
    }
    env_file = folder / "env.sh"
    _write(env_file, _render("env.sh.j2", login=login, environment=environment))
    return ClientSettings(login=login, folder=folder, env_file=env_file, environment=environment)


def saved_token(folder: Path) -> str | None:
    """The token of settings that were written before."""
    hosts = folder / "gh" / "hosts.yml"
    if not hosts.exists():
        return None
    known = yaml.safe_load(hosts.read_text("utf-8")) or {}
    return next((str(entry.get("oauth_token", "")) for entry in known.values()), None)


def _write_gh(folder: Path, url: str, socket: Path | None, login: str, token: str) -> None:
    """The host stands there with its port as well: gh before 2.80 looks the token up by that
    where an answer holds an address (https://cli.github.com/manual/gh_config)."""
    folder.mkdir(exist_ok=True)
    config = {"version": "1", "git_protocol": "https", "telemetry": "disabled"}
    if socket is not None:
        config["http_unix_socket"] = str(socket)
    entry = {
        "git_protocol": "https",
        "oauth_token": token,
        "user": login,
        "users": {login: {"oauth_token": token}},
    }
    _write(folder / "config.yml", yaml.safe_dump(config))
    address = urlsplit(url)
    hosts = {str(host): deepcopy(entry) for host in (address.hostname, address.netloc)}
    _write(folder / "hosts.yml", yaml.safe_dump(hosts))


def _render(name: str, **values: object) -> str:
    templates = Environment(  # noqa: S701 shell and git files, quoted by a filter
        loader=PackageLoader("bot.forge.embedded.clients", ""),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    templates.filters["shell_quote"] = shlex.quote
    return templates.get_template(name).render(**values)


def _write(path: Path, text: str) -> None:
    """Only for the owner's eyes: there is a token in it."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, "utf-8")
