"""`repowright lint`: what a spec holds, and what is wrong with it."""

import typer
from rich.table import Table

from bot.base import ExitCode
from bot.commands.options import Json, SpecFolder
from bot.plainconsole import PlainConsole
from bot.spec.folder import spec_from_files
from bot.spec.report import lint_report
from bot.specfolder import read_folder
from bot.terminal import print_json, show_problems


def lint(
    spec: SpecFolder,
    json: Json = False,
) -> None:
    """Say what a spec holds and what is wrong with it."""
    report = lint_report(spec_from_files(read_folder(spec)))
    fatal = any(p["severity"] == "fatal" for p in report["problems"])
    if json:
        print_json(report)
    else:
        console = PlainConsole()
        show_problems(console, report["problems"])
        counts = Table.grid(padding=(0, 2))
        names = ("files", "classes", "members", "relations", "messages")
        counts.add_row(*(f"{report[n]} {n}" for n in names))
        console.print(counts)
    raise typer.Exit(ExitCode.FAILED if fatal else ExitCode.OK)
