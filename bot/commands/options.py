"""Options that several commands share, and what they mean."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from bot.base import RepowrightError
from bot.config import DATA_FOLDER, Settings
from bot.experience.tables import FILE_NAME
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
Config = Annotated[Path | None, typer.Option("--config", help="YAML file with settings.")]


def settings_of(config: Path | None, model: str, usd: float | None) -> Settings:
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
    return settings


def is_unsafe(sandbox: str) -> bool:
    if sandbox not in ("bubblewrap", "none"):
        raise RepowrightError(
            f"there is no sandbox `{sandbox}`", hint="use `bubblewrap`, or `none` at your own risk"
        )
    return sandbox == "none"
