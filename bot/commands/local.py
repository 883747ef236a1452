"""What the commands of a run on this machine share."""

import os
from pathlib import Path

from bot.base import ExitCode, Outcome, RepowrightError
from bot.experience.store import SqlExperiences
from bot.experience.tables import address_of, default_store
from bot.phases.run import RunState
from bot.plainconsole import PlainConsole


def tell(json: bool, keep: bool, text: str) -> None:
    """A last word to people, where the pages are closed."""
    if not json and not keep:
        PlainConsole().print(text, style="dim", soft_wrap=True, markup=False, highlight=False)


def store_of(experience: str) -> str:
    """The store as a run remembers it; one that somebody names is tried before the run begins."""
    store = experience or str(default_store(os.environ))
    if "://" not in store:
        store = str(Path(store).absolute())
    if experience:
        SqlExperiences(address_of(store)).open().close()
    return store


def be_free(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise RepowrightError("this is a file", where=str(out), hint="give a folder for the result")
    if out.exists() and any(out.iterdir()):
        raise RepowrightError(
            "the folder is not empty",
            where=str(out),
            hint="give an empty one, or `repowright resume` to go on with a run in it",
        )


def name_of(spec: Path) -> str:
    name = "".join(c if c.isalnum() or c in "-_." else "-" for c in spec.resolve().name)
    return name.strip("-.") or "project"


def exit_code(state: RunState) -> int:
    return ExitCode.OK if state.outcome is Outcome.PASSED else ExitCode.FAILED
