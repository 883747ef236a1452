"""Options that several commands share, and what they mean."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from bot.base import RepowrightError
from bot.config import DATA_FOLDER, Settings
from bot.experience.tables import FILE_NAME, OFF
from bot.settingsfile import settings_table, wrong_setting

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Port = Annotated[
    int,
    typer.Option(min=0, max=65_535, help="Port of the embedded GitHub; 0 takes a free one."),
]
SpecFolder = Annotated[
    Path, typer.Argument(metavar="SPEC", help="Folder with PRD.md and the other documents.")
]
Sandbox = Annotated[
    str, typer.Option("--sandbox", help="`bubblewrap`; `none` runs generated code unprotected.")
]
Experience = Annotated[
    str,
    typer.Option(
        "--experience",
        envvar="REPOWRIGHT_EXPERIENCE",
        metavar="STORE",
        help="File or database address to learn in; `off` learns and tells nothing. A recorded run"
        " has a store of its own.",
        show_default=f"{FILE_NAME} in REPOWRIGHT_DATA, or in {DATA_FOLDER}",
    ),
]
Answers = Annotated[
    str, typer.Option("--backend", help="`openai`, `mailbox:FOLDER` or `replay:FOLDER`.")
]
ModelName = Annotated[str, typer.Option("--model", help="Model name, over the settings'.")]
Usd = Annotated[float | None, typer.Option("--usd", min=0, help="Budget in dollars.")]
Record = Annotated[
    Path | None, typer.Option("--record", help="Folder to keep the calls in, for replay.")
]
Keep = Annotated[bool, typer.Option("--keep", help="Serve issue and pull request until Ctrl-C.")]
Config = Annotated[Path | None, typer.Option("--config", help="YAML file with settings.")]


def settings_of(
    config: Path | None, model: str, usd: float | None, experience: str = ""
) -> Settings:
    """Defaults, then the file, then the options."""
    values = settings_table(config) if config is not None else {}
    if model:
        values["model"] = model
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise wrong_setting(error, str(config or "")) from error
    if usd is not None:
        budget = settings.budget.model_copy(update={"usd": usd})
        settings = settings.model_copy(update={"budget": budget})
    if experience == OFF:
        switches = settings.switches.model_copy(update={"experience": False})
        settings = settings.model_copy(update={"switches": switches})
    return settings


def is_unsafe(sandbox: str) -> bool:
    if sandbox not in ("bubblewrap", "none"):
        raise RepowrightError(
            f"there is no sandbox `{sandbox}`", hint="use `bubblewrap`, or `none` at your own risk"
        )
    return sandbox == "none"
