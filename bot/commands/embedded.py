"""`repowright embedded`: a GitHub for one machine as a service."""

from pathlib import Path
from typing import Annotated

import typer

from bot.base import RepowrightError
from bot.commands.options import Port, Sandbox, is_unsafe
from bot.local import LocalBox
from bot.localrun import until_interrupted
from bot.phases.texts import say
from bot.plainconsole import PlainConsole


def embedded(
    data: Annotated[Path, typer.Option("--data", help="Folder that keeps everything.")] = Path(
        "embedded-github"
    ),
    port: Port = 8420,
    sandbox: Sandbox = "bubblewrap",
    jobs: Annotated[
        str,
        typer.Option(
            help="Where workflow jobs run: `sandbox`, without a network; or `machine`, as on a"
            " runner, for workflows that you trust, such as those of `repowright init`."
        ),
    ] = "sandbox",
) -> None:
    """Serve a GitHub for this machine until Ctrl-C."""
    if jobs not in ("sandbox", "machine"):
        raise RepowrightError(f"jobs cannot run in `{jobs}`", hint="use `sandbox`, or `machine`")
    machine = jobs == "machine"
    with LocalBox(data, port=port, unsafe=is_unsafe(sandbox), machine=machine) as box:
        console = PlainConsole()
        console.print(f"Embedded GitHub at [bold]{box.github.url}[/bold]")
        console.print(f"API at {box.github.api_url}, data in {data}. Ctrl-C stops it.")
        console.print(say("tell_sign_in", data=data), markup=False, soft_wrap=True)
        until_interrupted()
