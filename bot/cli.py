"""The `repowright` command: demo, run, resume, replay, lint, tools, embedded, serve, worker,
doctor, settings, bench, experience."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.table import Table

from bot import __version__
from bot.base import ExitCode, Outcome, RepowrightError
from bot.bench.catalogue import run_bench
from bot.bench.show import show_result
from bot.config import DATA_FOLDER, Settings
from bot.doctor.examination import examine, is_well
from bot.doctor.machine import try_sandbox
from bot.experience.commands import app as experience_app
from bot.experience.store import SqlExperiences
from bot.experience.tables import FILE_NAME, OFF, address_of, default_store
from bot.local import LocalBox, remembered
from bot.localrun import LocalSitting, until_interrupted
from bot.markdown.mentions import clean
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.texts import say
from bot.plainconsole import PlainConsole
from bot.redaction import redact, secrets_of
from bot.secretfiles import with_secret_files
from bot.serverconfig import read_settings, settings_table, wrong_setting
from bot.serving import serve as serve_until_stopped
from bot.settings_command import settings
from bot.spec.folder import spec_from_files
from bot.spec.report import lint_report
from bot.specfolder import read_folder
from bot.terminal import print_json, show_findings, show_problems
from bot.tools_command import tools
from bot.wiring import backend_of

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turn a spec issue into a tested repository, one reviewed round at a time.",
)
app.add_typer(experience_app, name="experience")
app.command()(tools)
app.command()(settings)

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
    experience: Experience = "",
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Annotated[bool, typer.Option(help="Serve issue and pull request until Ctrl-C.")] = False,
    json: Json = False,
) -> None:
    """Build what SPEC asks for, on this machine."""
    settings = _settings(config, model, usd)
    if experience == OFF:
        switches = settings.switches.model_copy(update={"experience": False})
        settings = settings.model_copy(update={"switches": switches})
    store = "" if record or experience == OFF else _store(experience)
    answers = backend_of(backend, settings, os.environ)
    state = _build(
        spec,
        out,
        settings,
        answers,
        record,
        experience=store,
        port=port,
        sandbox=sandbox,
        keep=keep,
        json=json,
    )
    _tell(json, keep, say("tell_result", out=out))
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
        state = LocalSitting(box, answers, json=json, keep=keep).go()
    _tell(json, keep, say("tell_result", out=out))
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
    settings = _settings(config if config.is_file() else None, "", None)
    answers = backend_of(f"replay:{recording}", settings, os.environ)
    folder = spec or recording.absolute().parent
    with _out(out) as to:
        state = _build(
            folder, to, settings, answers, None, port=port, sandbox=sandbox, keep=keep, json=json
        )
    _tell(json, keep, say("tell_result", out=out) if out else say("tell_closed"))
    raise typer.Exit(_exit_code(state))


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
        console = PlainConsole()
        show_problems(console, report["problems"])
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
        console = PlainConsole()
        console.print(f"Embedded GitHub at [bold]{box.github.url}[/bold]")
        console.print(f"API at {box.github.api_url}, data in {data}. Ctrl-C stops it.")
        console.print(say("tell_sign_in", data=data), markup=False, soft_wrap=True)
        until_interrupted()


@app.command()
def serve(config: Config = None) -> None:
    """Answer GitHub's webhooks and work for the repositories that they come from."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ)


@app.command()
def worker(config: Config = None) -> None:
    """Work beside servers that share this one's database, and take no deliveries."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ, receiving=False)


@app.command()
def doctor(config: Config = None, json: Json = False) -> None:
    """Look at everything that the bot needs, and say what to do."""
    environ = with_secret_files(os.environ)
    findings = examine(read_settings(config, environ), environ)
    if json:
        print_json({"well": is_well(findings), "findings": [f.model_dump() for f in findings]})
    else:
        show_findings(PlainConsole(), findings)
    raise typer.Exit(ExitCode.OK if is_well(findings) else ExitCode.FAILED)


@app.command()
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


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"repowright {__version__}")
        raise typer.Exit


def _build(
    spec: Path,
    out: Path,
    settings: Settings,
    answers: Backend,
    record: Path | None,
    *,
    experience: str = "",
    port: int,
    sandbox: str,
    keep: bool,
    json: bool,
) -> RunState:
    """A new run from its issue to its end; what makes the spec fail is told first."""
    files = read_folder(spec)
    unsafe = _unsafe(sandbox)
    _free(out)
    if not unsafe:
        try_sandbox()
    report = lint_report(spec_from_files(files, check_tests_dir=settings.check_tests))
    fatal = [p for p in report["problems"] if p["severity"] == "fatal"]
    show_problems(PlainConsole(stderr=True), fatal)
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        box.open_issue(files, _name(spec), settings, experience)
        return LocalSitting(box, answers, json=json, keep=keep).go(record)


def _tell(json: bool, keep: bool, text: str) -> None:
    """A last word to people, where the pages are closed."""
    if not json and not keep:
        PlainConsole().print(text, style="dim", soft_wrap=True, markup=False, highlight=False)


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


def _store(experience: str) -> str:
    """The store as a run remembers it; one that somebody names is tried before the run begins."""
    store = experience or str(default_store(os.environ))
    if "://" not in store:
        store = str(Path(store).absolute())
    if experience:
        SqlExperiences(address_of(store)).open().close()
    return store


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


def _told(error: RepowrightError) -> str:
    """An error on one line: it may quote what others wrote, or an address with a password."""
    return " ".join(clean(redact(error.sentence, secrets_of(os.environ))).split())


def main() -> None:
    """Entry point; every expected error is one line on standard error and exit code 1."""
    try:
        app()
    except RepowrightError as error:
        print(f"repowright: {_told(error)}", file=sys.stderr)
        sys.exit(ExitCode.FAILED)
