"""Runs git (GitPython's command layer) so that nothing of the machine's or the repository's
configuration takes part, and so that a credential is seen by one command only."""

import base64
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from bot.base import Data
from bot.ports.forge import Bar
from bot.ports.git import GitError, NoAccess, Unreached
from bot.redaction import redact

if TYPE_CHECKING:
    from git import Git

_OLDEST = (2, 32)
_VERSION = re.compile(r"git version (\d+)\.(\d+)")
_TRANSPORTS = ("https", "http", "file")

# What git says when the server asks for a credential although it was given one.
_DEAD_TOKEN = ("could not read Username", "Authentication failed")
_NO_ACCESS = (*_DEAD_TOKEN, "requested URL returned error: 403")

# What says something of the repository or the App, not of the command.
_BARS: tuple[tuple[str, Bar, str, str], ...] = (
    ("was archived", "archived", "the repository was archived, so it is read-only", ""),
    (
        "requested URL returned error: 403",
        "forbidden",
        "the server did not accept the credential",
        "check that the token is valid and may read and write the repository's contents",
    ),
    (
        "Repository not found",
        "gone",
        "the repository is gone, or may not be seen any more",
        "check that the App is installed there",
    ),
)

# Who else could run code or answer for us: hooks, helpers, other transports, redirects.
_SETTINGS = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.protectNTFS", "true"),
    ("core.protectHFS", "true"),
    ("core.askPass", ""),
    ("core.quotePath", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "100"),
    ("http.lowSpeedTime", "60"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("commit.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("log.showSignature", "false"),
)


class Remote(Protocol):
    """Where the repository is and what opens it, asked anew for every command."""

    def address(self, *, again: bool = False) -> str:
        """The clone URL, without credentials; `again` looks it up anew (a rename)."""
        ...

    def token(self) -> str:
        """A credential that is valid now; "" where none is needed."""
        ...

    def renew(self, token: str) -> bool:
        """Take note that the server does not accept this credential; whether there is another."""
        ...


class Result(Data):
    status: int
    output: bytes
    error: str

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace").strip()


class GitCommand:
    """git in one bare repository; the repository is made where it is missing."""

    def __init__(self, directory: Path, *, environment: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self._environment = dict(environment or {})
        self._git = _load_git()
        self._check_version()
        directory.mkdir(parents=True, exist_ok=True)
        _unlock(directory)
        self.run("init", "--quiet", "--bare", "--template=", str(directory))

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """Output of a local command; raise GitError where it fails."""
        result = self._execute(arguments, stdin, environment or {}, ())
        if result.status:
            raise failure(arguments[0], result)
        return result.output

    def text(self, *arguments: str) -> str:
        return self.run(*arguments).decode("utf-8", "replace").strip()

    def attempt(self, *arguments: str) -> Result:
        """A local command whose failure means something."""
        return self._execute(arguments, b"", {}, ())

    def network(self, remote: Remote, *arguments: str, again: bool = False) -> Result:
        """A command that talks to the remote; `{remote}` among the arguments is its address. It
        is run once more where its credential died on the way: what the server did not accept, it
        did not carry out."""
        address = remote.address(again=again)
        scheme = urlsplit(address).scheme or "file"
        if scheme not in _TRANSPORTS:
            raise GitError(
                f"Git over {scheme!r} is not supported",
                where=redact(address),
                hint="use an https address",
            )
        filled = tuple(address if word == "{remote}" else word for word in arguments)
        token = remote.token() if scheme != "file" else ""
        result = self._with_token(filled, scheme, address, token)
        if result.status and _token_is_dead(result) and remote.renew(token):
            result = self._with_token(filled, scheme, address, remote.token())
        return result

    def _with_token(
        self, arguments: Sequence[str], scheme: str, address: str, token: str
    ) -> Result:
        settings = [(f"protocol.{scheme}.allow", "always")]
        if token:
            settings.append((f"http.{address}.extraHeader", _authorization(token)))
        result = self._execute(arguments, b"", {}, settings)
        return result.model_copy(update={"error": redact(result.error, (token,))})

    def _check_version(self) -> None:
        """An older git would not read the settings from the environment, hooks and all."""
        said = self.text("version")
        found = _VERSION.search(said)
        if not found or (int(found[1]), int(found[2])) < _OLDEST:
            raise GitError(f"{said} is too old", hint="install git 2.32 or newer")

    def _execute(
        self,
        arguments: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        settings: Sequence[tuple[str, str]],
    ) -> Result:
        from git.exc import GitCommandNotFound

        with tempfile.TemporaryFile() as source:
            source.write(stdin)
            source.seek(0)
            try:
                status, output, error = self._git.execute(
                    ["git", *arguments],
                    istream=source,
                    env={**self._isolated(settings), **self._environment, **environment},
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                )
            except GitCommandNotFound as problem:
                raise missing_git() from problem
        return Result(status=status, output=output, error=redact(error))

    def _isolated(self, settings: Sequence[tuple[str, str]]) -> dict[str, str]:
        home = str(self.directory)
        environment = {
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "GIT_DIR": home,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_PARAMETERS": "",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TRACE_REDACT": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_PAGER": "cat",
        }
        pairs = [*_SETTINGS, ("safe.directory", home), *settings]
        environment["GIT_CONFIG_COUNT"] = str(len(pairs))
        for number, (key, value) in enumerate(pairs):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        return environment


def _unlock(directory: Path) -> None:
    """Remove locks that a killed git left: the clone belongs to one run, which one host drives."""
    locks = [*directory.glob("*.lock"), *(directory / "refs").rglob("*.lock")]
    for lock in locks:
        lock.unlink(missing_ok=True)


def _token_is_dead(result: Result) -> bool:
    return any(phrase in result.error for phrase in _DEAD_TOKEN)


def no_access(result: Result) -> bool:
    """Whether the server turned the credential down: to try again would not help."""
    return any(phrase in result.error for phrase in _NO_ACCESS)


def failure(command: str, result: Result) -> GitError:
    """The error for a failed command: the last lines that git said, on one line."""
    for phrase, bar, what, hint in _BARS:
        if phrase in result.error:
            return NoAccess(f"git {command} failed: {what}", bar=bar, hint=hint)
    if no_access(result):
        return GitError(
            f"git {command} failed: the server did not accept the credential",
            hint="check that the token is valid and may read and write the repository's contents",
        )
    said = [line.strip() for line in result.error.splitlines() if line.strip()]
    fatal = [line for line in said if line.startswith(("fatal:", "error:", "remote:"))]
    reason = " / ".join((fatal or said)[-3:])[:600]
    return GitError(f"git {command} failed: {reason or f'exit status {result.status}'}")


def unreached(command: str, result: Result) -> GitError:
    """The error for a command that talks to the server: where that turned nothing down, it may
    answer when it is asked again."""
    error = failure(command, result)
    if isinstance(error, NoAccess) or no_access(result):
        return error
    return Unreached(error.what, hint=error.hint)


def missing_git() -> GitError:
    return GitError("git is not installed", hint="install git 2.32 or newer and put it on PATH")


def _authorization(token: str) -> str:
    """https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app-installation#using-an-installation-access-token-to-authenticate-http-based-git-access"""
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return f"Authorization: Basic {basic}"


def _load_git() -> "Git":
    """GitPython refuses to be imported on a machine without git; that is our error to tell."""
    try:
        from git import Git
    except ImportError as problem:
        raise missing_git() from problem
    return Git()
