"""The `repowright` command: demo, run, resume, replay, lint, embedded, serve, doctor, bench."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
import yaml
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from bot import __version__
from bot.base import ExitCode, Outcome, RepowrightError
from bot.bench.catalogue import bench_named
from bot.bench.datasets import read_tasks
from bot.bench.show import show_result
from bot.config import Settings
from bot.doctor.examination import examine, is_well
from bot.doctor.machine import try_sandbox
from bot.local import LocalBox, remembered
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.texts import say
from bot.runs.summary import summary_of
from bot.serverconfig import read_settings, settings_table, wrong_setting
from bot.serving import serve as serve_until_stopped
from bot.spec.folder import spec_from_files
from bot.spec.report import lint_report
from bot.specfolder import read_folder
from bot.terminal import JsonNarrator, TerminalNarrator, print_json, show_findings, show_summary
from bot.wiring import backend_of, now

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turn a spec issue into a tested repository, one reviewed round at a time.",
)

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
DEMO = "evensteven"
_SECONDS_BETWEEN_LOOKS = 1.0

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
Config = Annotated[Path | None, typer.Option("--config", help="YAML file with settings.")]


@app.command()
def run(
    spec: SpecFolder,
    out: Annotated[Path, typer.Option("--out", help="Folder for the result.")],
    backend: Annotated[
        str, typer.Option(help="`openai`, `mailbox:FOLDER` or `replay:FOLDER`.")
    ] = "openai",
    model: Annotated[str, typer.Option(help="Model name, over the settings'.")] = "",
    usd: Annotated[float | None, typer.Option(min=0, help="Budget in dollars.")] = None,
    config: Config = None,
    record: Annotated[
        Path | None, typer.Option("--record", help="Folder to keep the calls in, for replay.")
    ] = None,
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Build what SPEC asks for, on this machine."""
    settings = _settings(config, model, usd)
    files = read_folder(spec)
    answers = backend_of(backend, settings, os.environ)
    unsafe = _unsafe(sandbox)
    _free(out)
    if not unsafe:
        try_sandbox()
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        box.open_issue(files, _name(spec), settings)
        state = _go(box, answers, record, json=json, keep=keep)
    raise typer.Exit(_exit_code(state))


@app.command()
def resume(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder that `run --out` was given.")
    ],
    backend: Annotated[
        str, typer.Option(help="`openai`, `mailbox:FOLDER` or `replay:FOLDER`.")
    ] = "openai",
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Go on with a run that was stopped or killed."""
    answers = backend_of(backend, remembered(out).settings, os.environ)
    unsafe = _unsafe(sandbox)
    if not unsafe:
        try_sandbox()
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        state = _go(box, answers, None, json=json, keep=keep)
    raise typer.Exit(_exit_code(state))


@app.command()
def replay(
    recording: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder that `run --record` filled.")
    ],
    spec: Annotated[
        Path | None,
        typer.Option("--spec", help="Folder of the recorded spec; else the one above DIR."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the result.")] = None,
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Play a recorded run again: everything is real but the model."""
    if not (recording / "calls").is_dir():
        raise RepowrightError(
            "there is no recorded run",
            where=str(recording),
            hint="make one with `repowright run SPEC --record DIR`",
        )
    config = recording / "settings.yaml"
    with _out(out) as folder:
        run(
            spec=spec or recording.absolute().parent,
            out=folder,
            backend=f"replay:{recording}",
            config=config if config.is_file() else None,
            record=None,
            port=port,
            sandbox=sandbox,
            keep=keep,
            json=json,
        )


@app.command()
def demo(
    example: Annotated[
        str, typer.Argument(metavar="EXAMPLE", help="Name of a folder in `examples`.")
    ] = DEMO,
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    json: Json = False,
) -> None:
    """Replay an example run: no key, no account, no network."""
    names = sorted(p.parent.name for p in EXAMPLES.glob("*/recording"))
    if example not in names:
        raise RepowrightError(
            f"there is no example `{example}`",
            where=str(EXAMPLES),
            hint=f"choose one of {', '.join(names)}"
            if names
            else "clone the repository; examples are not part of the installed package",
        )
    replay(
        recording=EXAMPLES / example / "recording",
        spec=None,
        out=None,
        port=port,
        sandbox=sandbox,
        keep=keep,
        json=json,
    )


@app.command()
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
        console = Console()
        for problem in report["problems"]:
            style = {"fatal": "red", "warning": "yellow"}.get(problem["severity"], "dim")
            place = f"{problem['file']}:{problem['line']}:{problem['column']}"
            console.print(f"[{style}]{problem['severity']:8}[/{style}]", end=" ")
            said = f"{place}  {problem['message']}"
            console.print(said, markup=False, highlight=False, soft_wrap=True)
            if problem["hint"]:
                hint = f"         {problem['hint']}"
                console.print(hint, style="dim", markup=False, highlight=False, soft_wrap=True)
        counts = Table.grid(padding=(0, 2))
        names = ("files", "classes", "members", "relations", "messages")
        counts.add_row(*(f"{report[n]} {n}" for n in names))
        console.print(counts)
    raise typer.Exit(ExitCode.FAILED if fatal else ExitCode.OK)


@app.command()
def embedded(
    data: Annotated[Path, typer.Option("--data", help="Folder that keeps everything.")] = Path(
        "embedded-github"
    ),
    port: Port = 8420,
    sandbox: Sandbox = "bubblewrap",
) -> None:
    """Serve a GitHub for this machine until Ctrl-C."""
    with LocalBox(data, port=port, unsafe=_unsafe(sandbox)) as box:
        console = Console()
        console.print(f"Embedded GitHub at [bold]{box.github.url}[/bold]")
        console.print(f"API at {box.github.api_url}, data in {data}. Ctrl-C stops it.")
        console.print(say("tell_sign_in", data=data), markup=False, soft_wrap=True)
        _until_interrupted()


@app.command()
def serve(config: Config = None) -> None:
    """Answer GitHub's webhooks and work for the repositories that they come from."""
    serve_until_stopped(read_settings(config, os.environ), os.environ)


@app.command()
def doctor(config: Config = None, json: Json = False) -> None:
    """Look at everything that the bot needs, and say what to do."""
    findings = examine(read_settings(config, os.environ), os.environ)
    if json:
        print_json({"well": is_well(findings), "findings": [f.model_dump() for f in findings]})
    else:
        show_findings(Console(), findings)
    raise typer.Exit(ExitCode.OK if is_well(findings) else ExitCode.FAILED)


@app.command()
def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to measure.")],
    datasets: Annotated[
        Path, typer.Argument(metavar="DATASETS", help="Folder with CodeProjectEval and DevBench.")
    ],
    only: Annotated[str, typer.Option("--only", metavar="TASK", help="One task alone.")] = "",
    json: Json = False,
) -> None:
    """Measure a part of the engine on the public tasks, with no model."""
    result = bench_named(name)(read_tasks(datasets, only))
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        show_result(Console(), result)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"repowright {__version__}")
        raise typer.Exit


def _go(
    box: LocalBox, backend: Backend, record: Path | None, *, json: bool, keep: bool
) -> RunState:
    local, _ = box.remembered()
    console = Console(stderr=json)
    narrator = JsonNarrator(sys.stdout) if json else TerminalNarrator(console, now)
    issue = f"{box.github.url}/{local.repository}/issues/{local.issue}"
    if not json:
        console.print(f"Spec issue: [bold]{issue}[/bold]")
    try:
        state, services = box.go(backend, narrator, wait=keep)
    finally:
        narrator.close()
    box.export(state, services)
    if record is not None:
        _keep_recording(record, local.settings, services)
    _show(console, state, services, json=json)
    if not json and not keep:
        console.print(say("tell_closed"), style="dim", soft_wrap=True)
    if keep:
        if not json:
            console.print(say("tell_open_until", address=box.github.url))
        state = _attend(box, state, services, lambda s: _show(console, s, services, json=json))
    return state


def _show(console: Console, state: RunState, services: Services, *, json: bool) -> None:
    summary = summary_of(state, services.record.spent())
    if json:
        print_json(summary)
    else:
        show_summary(console, state, summary)


def _attend(
    box: LocalBox, state: RunState, services: Services, show: Callable[[RunState], None]
) -> RunState:
    """Serve until Ctrl-C. What people say meanwhile is heard, and a run that they wake goes on."""
    try:
        with _interrupts():
            while True:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                after = box.attend(state, services)
                if after.rounds != state.rounds or after.outcome != state.outcome:
                    box.export(after, services)
                    show(after)
                state = after
    except KeyboardInterrupt:
        return state


def _keep_recording(folder: Path, settings: Settings, services: Services) -> None:
    shutil.rmtree(folder / "calls", ignore_errors=True)
    for name, content in services.record.files().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    text = yaml.safe_dump(settings.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    (folder / "settings.yaml").write_text(text, "utf-8")


def _settings(config: Path | None, model: str, usd: float | None) -> Settings:
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


def _unsafe(sandbox: str) -> bool:
    if sandbox not in ("bubblewrap", "none"):
        raise RepowrightError(
            f"there is no sandbox `{sandbox}`", hint="use `bubblewrap`, or `none` at your own risk"
        )
    return sandbox == "none"


def _free(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise RepowrightError("this is a file", where=str(out), hint="give a folder for the result")
    if out.exists() and any(out.iterdir()):
        raise RepowrightError(
            "the folder is not empty",
            where=str(out),
            hint="give an empty one, or `repowright resume` to go on with a run in it",
        )


def _name(spec: Path) -> str:
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in spec.resolve().name)
    return name.strip("-.") or "project"


@contextmanager
def _out(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
        yield Path(folder)


def _exit_code(state: RunState) -> int:
    return ExitCode.OK if state.outcome is Outcome.PASSED else ExitCode.FAILED


def _until_interrupted() -> None:
    with contextlib.suppress(KeyboardInterrupt), _interrupts():
        threading.Event().wait()


@contextmanager
def _interrupts() -> Iterator[None]:
    """SIGTERM ends what Ctrl-C ends."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> None:
    """Entry point; every expected error is one line on standard error and exit code 1."""
    try:
        app()
    except RepowrightError as error:
        print(f"repowright: {error.sentence}", file=sys.stderr)
        sys.exit(ExitCode.FAILED)
