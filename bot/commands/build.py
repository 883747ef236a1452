"""`repowright run`, `resume`, `replay`, `demo`: a spec becomes a repository on this machine."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from bot.base import RepowrightError
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
    SpecFolder,
    Usd,
    is_unsafe,
    settings_of,
)
from bot.config import Settings
from bot.doctor.machine import try_sandbox
from bot.experience.tables import OFF
from bot.local import LocalBox, remembered
from bot.localrun import LocalSitting
from bot.model.attempt import Backend
from bot.phases.run import RunState
from bot.phases.texts import say
from bot.plainconsole import PlainConsole
from bot.spec.folder import spec_from_files
from bot.spec.report import lint_report
from bot.specfolder import read_folder
from bot.terminal import show_problems
from bot.wiring import backend_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DEMO = "evensteven"


def run(
    spec: SpecFolder,
    out: Annotated[Path, typer.Option("--out", help="Folder for the result.")],
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
    """Build what SPEC asks for, on this machine."""
    settings = settings_of(config, model, usd, experience)
    store = "" if record or experience == OFF else store_of(experience)
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
    tell(json, keep, say("tell_result", out=out))
    raise typer.Exit(exit_code(state))


def resume(
    run: Annotated[
        str,
        typer.Argument(
            metavar="DIR|ISSUE",
            help="The folder that `run --out` was given; or OWNER/NAME#NUMBER or the address of an"
            " issue on GitHub, with a token in REPOWRIGHT_TOKEN or GITHUB_TOKEN.",
        ),
    ],
    backend: Answers = "openai",
    config: Config = None,
    checks: Annotated[
        str,
        typer.Option(help="Of an issue: `workflow` where pushes start the check tests, `here`."),
    ] = "workflow",
    experience: Experience = "",
    port: Port = 0,
    sandbox: Sandbox = "bubblewrap",
    keep: Keep = False,
    json: Json = False,
) -> None:
    """Go on with a run that was stopped or killed."""
    if is_issue(run):
        from bot.commands.taking_over import take_over

        raise typer.Exit(
            take_over(
                run, settings_of(config, "", None), backend, checks, experience, sandbox, json=json
            )
        )
    out = Path(run)
    answers = backend_of(backend, remembered(out).settings, os.environ)
    unsafe = is_unsafe(sandbox)
    if not unsafe:
        try_sandbox()
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        state = LocalSitting(box, answers, json=json, keep=keep).go()
    tell(json, keep, say("tell_result", out=out))
    raise typer.Exit(exit_code(state))


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
    keep: Keep = False,
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
    settings = settings_of(config if config.is_file() else None, "", None)
    answers = backend_of(f"replay:{recording}", settings, os.environ)
    folder = spec or recording.absolute().parent
    with _out(out) as to:
        state = _build(
            folder, to, settings, answers, None, port=port, sandbox=sandbox, keep=keep, json=json
        )
    tell(json, keep, say("tell_result", out=out) if out else say("tell_closed"))
    raise typer.Exit(exit_code(state))


def demo(
    example: Annotated[
        str, typer.Argument(metavar="EXAMPLE", help="Name of a folder in `examples`.")
    ] = DEMO,
    keep: Keep = False,
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


def is_issue(text: str) -> bool:
    """Whether somebody names an issue on GitHub and not a folder."""
    return re.fullmatch(r"[\w.-]+/[\w.-]+#\d+|https?://\S+/issues/\d+", text) is not None


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
    unsafe = is_unsafe(sandbox)
    be_free(out)
    if not unsafe:
        try_sandbox()
    report = lint_report(spec_from_files(files, check_tests_dir=settings.check_tests))
    fatal = [p for p in report["problems"] if p["severity"] == "fatal"]
    show_problems(PlainConsole(stderr=True), fatal)
    with LocalBox(out, port=port, unsafe=unsafe) as box:
        box.open_issue(files, name_of(spec), settings, experience)
        return LocalSitting(box, answers, json=json, keep=keep).go(record)


@contextmanager
def _out(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="repowright-") as folder:
        yield Path(folder)
