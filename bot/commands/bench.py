"""`repowright bench`: one measurement, as a table or JSON."""

from pathlib import Path
from typing import Annotated

import typer

from bot.bench.catalogue import run_bench
from bot.bench.show import show_result
from bot.commands.options import Json
from bot.plainconsole import PlainConsole
from bot.terminal import print_json


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to measure.")],
    datasets: Annotated[
        Path | None,
        typer.Argument(metavar="[DATASETS]", help="Folder with CodeProjectEval and DevBench."),
    ] = None,
    only: Annotated[str, typer.Option("--only", metavar="TASK", help="One task alone.")] = "",
    json: Json = False,
) -> None:
    """Measure a part of the engine on the public tasks, or the bot in operation; no model."""
    result = run_bench(name, datasets, only)
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        show_result(PlainConsole(), result)
