"""`repowright experience`: look at what was learnt, take it elsewhere, delete it."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from bot.base import RepowrightError
from bot.config import DATA_FOLDER
from bot.experience.exchange import entries_of, lines_of
from bot.experience.figures import figures_of
from bot.experience.store import SqlExperiences
from bot.experience.tables import FILE_NAME, address_of, default_store
from bot.plainconsole import PlainConsole
from bot.ports.experience import Kept, Scope, Tally

experience = typer.Typer(
    name="experience",
    no_args_is_help=True,
    add_completion=False,
    help="What earlier repairs taught, without their projects.",
)

Store = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="REPOWRIGHT_EXPERIENCE",
        help="File or database address of the experience store.",
        show_default=f"{FILE_NAME} in REPOWRIGHT_DATA, or in {DATA_FOLDER}",
    ),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="An id, or how it begins.")]
Installation = Annotated[int, typer.Option(help="Id of the App's installation.")]


@experience.command("list")
def list_(
    store: Store = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List all experiences with their records."""
    with _opened(store) as opened:
        found, history = list(opened.all()), opened.history()
    if as_json:
        print(json.dumps([_row(repository, kept) for repository, kept in found], indent=2))
        return
    figures = figures_of([kept for _, kept in found], history)
    table = Table("id", "family", "outcome", "learnt", "helped", "no effect", "harmed", "")
    for kept in _together(kept for _, kept in found):
        if kept.experience is not None:
            told = kept.tally
            counts = (told.learned, told.improved, told.no_effect, told.regressed)
            state = "retired" if kept.retired else ""
            lesson = kept.experience
            table.add_row(lesson.id, lesson.family, lesson.outcome, *map(str, counts), state)
    console = PlainConsole()
    console.print(table)
    for name, value in figures.model_dump().items():
        console.print(f"{name.replace('_', ' ')}: {'-' if value is None else value}")


@experience.command()
def show(id_: Id, store: Store = "") -> None:
    """Show one experience as JSON, with every repository that taught it."""
    with _opened(store) as opened:
        found = _chosen(opened, id_)
    print(json.dumps([_row(repository, kept) for repository, kept in found], indent=2))


@experience.command()
def delete(id_: Id, store: Store = "") -> None:
    """Delete one experience for good; it is not learnt again."""
    with _opened(store) as opened:
        found = _chosen(opened, id_)
        count = sum(opened.delete(whole) for whole in {_id(kept) for _, kept in found})
    print(f"deleted {count}")


@experience.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines file to write.")],
    store: Store = "",
) -> None:
    """Write all experiences to a file, without the repositories that taught them."""
    with _opened(store) as opened:
        lines = list(lines_of(kept for _, kept in opened.all()))
    try:
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    except OSError as error:
        raise RepowrightError(f"cannot write: {error.strerror}", where=str(file)) from error
    print(f"exported {len(lines)}")


@experience.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines file to read.")],
    store: Store = "",
    installation: Installation = 0,
) -> None:
    """Read experiences from a file, for all repositories of an installation."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RepowrightError(
            "cannot read the file", where=str(file), hint="give a file in JSON lines, UTF-8"
        ) from error
    entries = entries_of(lines, str(file))
    scope = Scope(installation=installation)
    with _opened(store, new=True) as opened:
        taken = [opened.take(scope, e.experience, e.tally, retired=e.retired) for e in entries]
    print(f"imported {sum(taken)}, {taken.count(False)} were there already")


@experience.command()
def sharing(
    repository: Annotated[str, typer.Argument(metavar="OWNER/NAME")],
    on: Annotated[bool, typer.Option("--on/--off", help="Teach the others, and learn of them.")],
    store: Store = "",
    installation: Installation = 0,
) -> None:
    """Let a repository share what it learns, from now on and so far, or keep it to itself."""
    scope = Scope(installation=installation, repository=repository, shared=on)
    with _opened(store, new=True) as opened:
        print(f"changed {opened.share(scope)}")


@contextmanager
def _opened(store: str, *, new: bool = False) -> Iterator[SqlExperiences]:
    store = store or str(default_store(os.environ))
    if "://" not in store and not new and not Path(store).is_file():
        raise RepowrightError(
            "there is no experience store", where=store, hint="name its file with --store"
        )
    opened = SqlExperiences(address_of(store))
    try:
        yield opened
    finally:
        opened.close()


def _chosen(store: SqlExperiences, id_: str) -> list[tuple[str, Kept]]:
    """The experience of an id, as each repository holds it."""
    found = list(store.all(id_))
    if len({_id(kept) for _, kept in found}) != 1 or not id_:
        raise RepowrightError(
            f"{'several experiences have' if found else 'no experience has'} the id `{id_}`",
            hint="take an id from `repowright experience list`",
        )
    return found


def _together(found: Iterable[Kept]) -> Iterator[Kept]:
    """Each experience once, with what all repositories that hold it have seen of it; retired only
    where all of them have it so."""
    groups: dict[str, list[Kept]] = {}
    for kept in found:
        groups.setdefault(_id(kept), []).append(kept)
    for same in groups.values():
        tally = Tally(
            learned=sum(kept.tally.learned for kept in same),
            improved=sum(kept.tally.improved for kept in same),
            no_effect=sum(kept.tally.no_effect for kept in same),
            regressed=sum(kept.tally.regressed for kept in same),
        )
        retired = all(kept.retired for kept in same)
        yield same[0].model_copy(update={"tally": tally, "retired": retired})


def _id(kept: Kept) -> str:
    return kept.experience.id if kept.experience is not None else ""


def _row(repository: str, kept: Kept) -> dict[str, object]:
    return {"id": _id(kept), "repository": repository, **kept.model_dump(mode="json")}
