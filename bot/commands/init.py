"""`repowright init`: what a repository needs to use Repowright in its GitHub Actions."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.commands.options import Json
from bot.plainconsole import PlainConsole
from bot.starter.files import starter_files
from bot.starter.repository import target_at
from bot.starter.setups import Purpose, SetupName, setups
from bot.starter.steps import Step, steps_for
from bot.starter.texts import tell
from bot.starter.write import FileStatus, Placed, place_files
from bot.terminal import print_json

_SIGNS = {
    FileStatus.WRITTEN: ("+", "green"),
    FileStatus.REPLACED: ("~", "yellow"),
    FileStatus.DIFFERS: ("!", "yellow"),
    FileStatus.UNCHANGED: ("=", "dim"),
    FileStatus.KEPT: ("=", "dim"),
}


def init(
    setup: Annotated[
        SetupName | None, typer.Option("--setup", help="How the jobs get their permissions.")
    ] = None,
    purpose: Annotated[
        Purpose,
        typer.Option("--for", help="Build what issues specify, repair what fails, or both."),
    ] = Purpose.GENERATE,
    directory: Annotated[
        Path, typer.Option("--directory", metavar="DIR", help="A clone of the repository.")
    ] = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Write over files that differ; never over settings.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing.")] = False,
    json: Json = False,
) -> None:
    """Add the workflows, issue form and settings to a repository, and say what is left to do."""
    target = target_at(directory)
    console = PlainConsole()
    chosen = setups()[setup or _asked(console, json=json)]
    files = starter_files(chosen, purpose, target)
    placed = place_files(files, target.root, force=force, dry_run=dry_run)
    steps = steps_for(chosen, purpose, target)
    if json:
        print_json(
            {
                "setup": chosen.name,
                "for": purpose,
                "root": str(target.root),
                "dry_run": dry_run,
                "files": [file.model_dump(mode="json") for file in placed],
                "steps": [step.model_dump(mode="json") for step in steps],
            }
        )
        return
    _show_files(console, placed, dry_run=dry_run)
    _show_steps(console, steps)


def _asked(console: PlainConsole, *, json: bool) -> SetupName:
    """The set-up that a person chooses; a script has to name it."""
    if json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.BadParameter(tell("name_it", names=", ".join(SetupName)), param_hint="--setup")
    console.print(tell("question"))
    for name, setup in setups().items():
        line = Text(f"  {name:8}", style="bold")
        line.append(f"{setup.title}: {setup.meaning}", style="not bold")
        console.print(line, soft_wrap=True)
    names = typer.prompt(tell("choose"), default=SetupName.APP.value, type=SetupName)
    return SetupName(names)


def _show_files(console: PlainConsole, placed: Sequence[Placed], *, dry_run: bool) -> None:
    for file in placed:
        sign, style = _SIGNS[file.status]
        line = Text(f"{sign} {file.path}", style=style)
        line.append(f"  {tell(('would_' if dry_run else '') + file.status)}", style="dim")
        console.print(line, soft_wrap=True)


def _show_steps(console: PlainConsole, steps: Sequence[Step]) -> None:
    console.print(f"\n{tell('left')}")
    for number, step in enumerate(steps, start=1):
        console.print(Text(f"\n{number:2}. {step.title}", style="bold"), soft_wrap=True)
        _line(console, step.why)
        for command in step.commands:
            _line(console, f"$ {command}", style="cyan")
        if step.page:
            page = f"{step.page}: {step.address}" if step.address else step.page
            _line(console, tell("page", page=page), style="dim")
        key = "check" if step.check else "look"
        _line(console, tell(key, check=step.check, shows=step.shows), style="dim")


def _line(console: PlainConsole, text: str, style: str = "") -> None:
    console.print(Text(f"    {text}", style=style), soft_wrap=True)
