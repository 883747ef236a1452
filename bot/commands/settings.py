"""`repowright settings`: every setting with its meaning, as a table, a page or a schema."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bot.config import Settings
from bot.reference.page import configuration_page
from bot.reference.rows import setting_rows
from bot.reference.schema import repository_schema
from bot.serverconfig import ServerSettings
from bot.terminal import print_json


def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the reference page.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print a JSON schema of .github/repowright.yml.")
    ] = False,
    server: Annotated[
        bool, typer.Option("--server", help="The server's settings, not a run's.")
    ] = False,
) -> None:
    """Show every setting with its default and meaning."""
    if schema:
        print_json(repository_schema())
    elif markdown:
        print(configuration_page(), end="")
    else:
        _show(server=server)


def _show(*, server: bool) -> None:
    rows = setting_rows(ServerSettings if server else Settings)
    table = Table("setting", "default", "meaning", box=None, pad_edge=False)
    for row in rows:
        if not (server and row.name.startswith("run.")):
            table.add_row(row.name, row.default.replace("`", ""), row.meaning.replace("`", ""))
    Console().print(table)
