"""`repowright doctor`: what the bot needs, looked at."""

import os

import typer

from bot.base import ExitCode
from bot.commands.options import Config, Json
from bot.doctor.examination import examine, is_well
from bot.plainconsole import PlainConsole
from bot.secretfiles import with_secret_files
from bot.serverconfig import read_settings
from bot.terminal import print_json, show_findings


def doctor(config: Config = None, json: Json = False) -> None:
    """Look at everything that the bot needs, and say what to do."""
    environ = with_secret_files(os.environ)
    findings = examine(read_settings(config, environ), environ)
    if json:
        print_json({"well": is_well(findings), "findings": [f.model_dump() for f in findings]})
    else:
        show_findings(PlainConsole(), findings)
    raise typer.Exit(ExitCode.OK if is_well(findings) else ExitCode.FAILED)
