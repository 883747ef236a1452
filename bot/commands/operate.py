"""`repowright serve`, `worker`, `doctor`, `embedded`: the bot and its GitHub as services."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bot.base import ExitCode
from bot.commands.options import Config, Json, Port, Sandbox, is_unsafe
from bot.doctor.examination import examine, is_well
from bot.local import LocalBox
from bot.localrun import until_interrupted
from bot.phases.texts import say
from bot.plainconsole import PlainConsole
from bot.secretfiles import with_secret_files
from bot.serverconfig import read_settings
from bot.serving import serve as serve_until_stopped
from bot.terminal import print_json, show_findings


def embedded(
    data: Annotated[Path, typer.Option("--data", help="Folder that keeps everything.")] = Path(
        "embedded-github"
    ),
    port: Port = 8420,
    sandbox: Sandbox = "bubblewrap",
) -> None:
    """Serve a GitHub for this machine until Ctrl-C."""
    with LocalBox(data, port=port, unsafe=is_unsafe(sandbox)) as box:
        console = PlainConsole()
        console.print(f"Embedded GitHub at [bold]{box.github.url}[/bold]")
        console.print(f"API at {box.github.api_url}, data in {data}. Ctrl-C stops it.")
        console.print(say("tell_sign_in", data=data), markup=False, soft_wrap=True)
        until_interrupted()


def serve(config: Config = None) -> None:
    """Answer GitHub's webhooks and work for the repositories that they come from."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ)


def worker(config: Config = None) -> None:
    """Work beside servers that share this one's database, and take no deliveries."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ, receiving=False)


def doctor(config: Config = None, json: Json = False) -> None:
    """Look at everything that the bot needs, and say what to do."""
    environ = with_secret_files(os.environ)
    findings = examine(read_settings(config, environ), environ)
    if json:
        print_json({"well": is_well(findings), "findings": [f.model_dump() for f in findings]})
    else:
        show_findings(PlainConsole(), findings)
    raise typer.Exit(ExitCode.OK if is_well(findings) else ExitCode.FAILED)
