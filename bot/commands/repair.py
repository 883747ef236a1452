"""`repowright repair`: code whose tests fail is mended on this machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from bot.commands.local import be_free, exit_code, name_of, store_of, tell
from bot.commands.options import (
    Answers,
    Config,
    Experience,
    Json,
    Keep,
    ModelName,
    Port,
    Record,
    Sandbox,
    Usd,
    is_unsafe,
    settings_of,
)
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
    backend: Answers = "openai",
    model: ModelName = "",
    usd: Usd = None,
    config: Config = None,
    record: Record = None,
    experience: Experience = "",
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Keep = False,
    json: Json = False,
) -> None:
    """Mend what makes the tests of a repository fail, on this machine; FOLDER is not changed."""
    settings = settings_of(config, model, usd, experience)
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
