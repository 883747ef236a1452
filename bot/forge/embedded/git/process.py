"""The one way in which the embedded GitHub starts git: its own settings, none of the user's."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bot.base import RepowrightError


class GitFailed(Exception):
    """Git refused a command."""

    def __init__(self, command: str, message: str) -> None:
        self.message = message
        super().__init__(f"git {command}: {message}")


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment without the user's git settings, prompts or locale."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        **(extra or {}),
    }


def require_git() -> str:
    """The path of git; RepowrightError where it is missing."""
    found = shutil.which("git")
    if found is None:
        raise RepowrightError("git is missing", hint="install git 2.38 or newer")
    return found


def run_git(
    directory: Path,
    *arguments: str,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
    accept: tuple[int, ...] = (0,),
) -> bytes:
    """Standard output of git run in `directory`; GitFailed for any other exit code."""
    if any("\0" in text for text in (*arguments, *(environment or {}).values())):
        raise GitFailed(arguments[0], "a NUL byte is in none of git's names")
    done = subprocess.run(
        [require_git(), *arguments],
        cwd=directory,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=git_environment(environment),
        check=False,
    )
    if done.returncode not in accept:
        raise GitFailed(arguments[0], done.stderr.decode("utf-8", "replace").strip())
    return done.stdout
