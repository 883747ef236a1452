"""The `repowright` command."""

import gc
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from bot import __version__
from bot.base import ExitCode, RepowrightError
from bot.markdown.mentions import clean
from bot.redaction import redact, secrets_of

# Where each command is, in the order of the help.
_COMMANDS = {
    **dict.fromkeys(("run", "resume", "replay", "demo"), "bot.commands.build"),
    "repair": "bot.commands.repair",
    "init": "bot.commands.init",
    "lint": "bot.commands.lint",
    "tools": "bot.commands.tools",
    "embedded": "bot.commands.embedded",
    **dict.fromkeys(("serve", "worker"), "bot.commands.operate"),
    "doctor": "bot.commands.doctor",
    "settings": "bot.commands.settings",
    "bench": "bot.commands.bench",
    "experience": "bot.experience.commands",
}


class _OnDemand(TyperGroup):
    """Loads a command once somebody asks for it: to load them all takes seconds."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # What nobody knows is compared with all, for the name that may be meant.
        for name in [cmd_name] if cmd_name in _COMMANDS else _COMMANDS:
            if name not in self.commands:
                self.commands[name] = _loaded(name)
        return self.commands.get(cmd_name)


def _loaded(name: str) -> Any:
    """The command, or group of commands, of this name."""
    # What is loaded stays: looking for garbage in between takes a quarter of the time.
    gc.disable()
    found = getattr(import_module(_COMMANDS[name]), name)
    gc.freeze()
    gc.enable()
    if isinstance(found, typer.Typer):
        return get_command(found)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return get_command(alone)


app = typer.Typer(
    cls=_OnDemand,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turn a spec issue into a tested repository, one reviewed round at a time.",
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"repowright {__version__}")
        raise typer.Exit


def _told(error: RepowrightError) -> str:
    """An error on one line: it may quote what others wrote, or an address with a password."""
    return " ".join(clean(redact(error.sentence, secrets_of(os.environ))).split())


def main() -> None:
    """Entry point; every expected error is one line on standard error and exit code 1."""
    try:
        app()
    except RepowrightError as error:
        print(f"repowright: {_told(error)}", file=sys.stderr)
        sys.exit(ExitCode.FAILED)
