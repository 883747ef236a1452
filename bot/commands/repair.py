"""`repowright repair`: code whose tests fail is mended on this machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.local import be_free, exit_code, name_of, store_of, tell
from bot.commands.options import Config, Experience, Json, Port, Sandbox, is_unsafe, settings_of
from bot.doctor.machine import try_sandbox
from bot.experience.tables import OFF
from bot.local import LocalBox
from bot.localrepair import open_repair
from bot.localrun import LocalSitting
from bot.phases.texts import say
from bot.repofolder import read_repository
from bot.wiring import backend_of


def repair(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A Python repository with tests of its own.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the mended repository.")],
    backend: Annotated[
        str, typer.Option(help="`openai`, `mailbox:FOLDER` or `replay:FOLDER`.")
    ] = "openai",
    model: Annotated[str, typer.Option(help="Model name, over the settings'.")] = "",
    usd: Annotated[float | None, typer.Option(min=0, help="Budget in dollars.")] = None,
    config: Config = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="Folder to keep the calls in, for replay.")
    ] = None,
    experience: Experience = "",
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Mend what makes the tests of a repository fail, on this machine; FOLDER is not changed."""
    settings = settings_of(config, model, usd)
    answers = backend_of(backend, settings, os.environ)
    files = read_repository(folder)
    unsafe = is_unsafe(sandbox)
    be_free(out)
    if not unsafe:
        try_sandbox()
    store = "" if record or experience == OFF else store_of(experience)
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        open_repair(box, files, name_of(folder), settings, answers, store)
        state = LocalSitting(box, answers, json=json, keep=keep).go(record)
    tell(json, keep, say("tell_result", out=out))
    raise typer.Exit(exit_code(state))
