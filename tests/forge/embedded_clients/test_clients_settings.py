"""The settings files that `sign_in` writes, and the socket that they name."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import requests
from clients_people import Person

from bot.forge.embedded.server import EmbeddedGitHub


def test_nobody_else_can_read_them(octavia: Person) -> None:
    folder = octavia.settings.folder
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"config.yml", "hosts.yml", "gitconfig", "env.sh"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_shell_reads_env_sh(octavia: Person, tmp_path: Path) -> None:
    script = f'. "{octavia.settings.env_file}"; echo "$GH_HOST|$GH_TOKEN|$EMBEDDED_GITHUB_TOKEN"'
    done = subprocess.run(
        ["sh", "-c", script],
        env={"PATH": os.environ["PATH"], "GH_TOKEN": "ghp_real"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"127.0.0.1||{octavia.token}"


def test_the_token_is_kept_while_it_is_good(github: EmbeddedGitHub, octavia: Person) -> None:
    again = github.clients.sign_in(octavia.account)
    assert again.environment["EMBEDDED_GITHUB_TOKEN"] == octavia.token
    token = github.store.tokens.find(octavia.token)
    assert token is not None
    github.store.tokens.revoke(token)
    fresh = github.clients.sign_in(octavia.account)
    assert fresh.environment["EMBEDDED_GITHUB_TOKEN"] != octavia.token


def test_the_next_start_on_another_port_is_written_down(tmp_path: Path) -> None:
    addresses = set()
    for _ in range(2):
        with EmbeddedGitHub(tmp_path / "data") as github:
            account = github.store.accounts.find("octavia") or github.store.accounts.create(
                "octavia"
            )
            settings = github.clients.sign_in(account)
            addresses.add(settings.environment["EMBEDDED_GITHUB_TOKEN"])
            assert github.url in (settings.folder / "gitconfig").read_text()
            shown = requests.get(
                f"{settings.environment['GITHUB_API_URL']}/user",
                headers={"Authorization": f"token {settings.environment['EMBEDDED_GITHUB_TOKEN']}"},
                timeout=30,
            )
            assert shown.json()["login"] == "octavia"
    assert len(addresses) == 1


def test_somebody_signs_in_from_another_shell(
    github: EmbeddedGitHub, rufus: Person, tmp_path: Path
) -> None:
    line = _module("rufus", "--data", "data", cwd=tmp_path).stdout
    assert line == f". {rufus.settings.env_file}\n"
    new = _module("nina", "--data", "data", cwd=tmp_path).stdout
    told = subprocess.run(
        ["sh", "-c", f'{new} echo "$GITHUB_API_URL/user $EMBEDDED_GITHUB_TOKEN"'],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    address, token = told.stdout.split()
    shown = requests.get(address, headers={"Authorization": f"token {token}"}, timeout=30)
    assert shown.json()["login"] == "nina"


def test_nobody_signs_in_where_nothing_runs(tmp_path: Path) -> None:
    done = _module("nina", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "embedded-github: no embedded GitHub runs on this folder (start one with "
        "`repowright embedded`, or name its folder with --data)\n",
    )


def test_an_organization_does_not_sign_in(github: EmbeddedGitHub, tmp_path: Path) -> None:
    done = _module("github", "--data", "data", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "github: only people sign in (take another login)\n",
    )


def _module(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bot.forge.embedded.clients", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_long_data_folder_gets_a_socket_of_a_short_name(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 30)
    with EmbeddedGitHub(folder) as github:
        socket = github.clients.socket
        assert socket is not None
        assert stat.S_ISSOCK(socket.stat().st_mode)
        assert stat.S_IMODE(socket.stat().st_mode) == 0o600
        assert not socket.is_relative_to(folder)
    assert not socket.exists()
    assert not socket.parent.exists()
