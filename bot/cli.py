"""The `repowright` command."""

import os
import sys
from typing import Annotated

import typer

from bot import __version__
from bot.base import ExitCode, RepowrightError
from bot.commands.bench import bench
from bot.commands.build import demo, replay, resume, run
from bot.commands.lint import lint
from bot.commands.operate import doctor, embedded, serve, worker
from bot.commands.settings import settings
from bot.commands.tools import tools
from bot.experience.commands import app as experience_app
from bot.markdown.mentions import clean
from bot.redaction import redact, secrets_of

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turn a spec issue into a tested repository, one reviewed round at a time.",
)
for command in (
    *(run, resume, replay, demo, lint, tools),
    *(embedded, serve, worker, doctor, settings, bench),
):
    app.command()(command)
app.add_typer(experience_app, name="experience")


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
