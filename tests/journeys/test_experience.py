"""What one run learns, the next one is told, in whatever repository; and what prevents that."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tally_journey import REPLIES, TALLY, Diary, Journey
from typer.testing import CliRunner

from bot.base import Outcome
from bot.config import Settings
from bot.experience.commands import experience as app
from bot.model.replay import ReplayModel
from bot.phases.run import RunState
from bot.ports.experience import Effect, Experience, Kept, Tally
from bot.specfolder import read_folder

pytestmark = pytest.mark.timeout(300)

ADVICE = "Lessons from earlier repairs elsewhere."


class KilledWhenLearnt(Diary):
    """Ends the process, as far as the run can tell, when a round has been learnt from and the leg
    is not yet saved."""

    def tell(self, state: RunState, text: str) -> None:
        super().tell(state, text)
        if "experience" in text and "learnt" in text:
            raise KeyboardInterrupt


@dataclass(frozen=True)
class Ran:
    """A run that passed, its record, what its fixer was asked, and what its reviews say."""

    state: RunState
    record: Mapping[str, bytes]
    asked: str
    reviews: str


@contextmanager
def opened(folder: Path, store: Path, **switches: bool) -> Iterator[Journey]:
    """A journey in a repository of the folder's name."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    settings = Settings.model_validate({"model": "claude-opus-4.8", "switches": switches})
    journey = Journey(folder / "out", settings, name=folder.name, experience=str(store))
    try:
        yield journey
    finally:
        journey.close()


def ran(folder: Path, store: Path, *, killed: bool = False, **switches: bool) -> Ran:
    """One whole run; `killed` once between judging its repair and saving that."""
    with opened(folder, store, **switches) as journey:
        journey.begin(read_folder(TALLY))
        if killed:
            journey.diary = KilledWhenLearnt()
            with pytest.raises(KeyboardInterrupt):
                journey.go(REPLIES)
            journey.diary = Diary()
            journey.restart()
        state, _, services = journey.go(REPLIES)
        assert state.outcome is Outcome.PASSED
        calls = services.record.files()
        asked = [text.decode() for name, text in calls.items() if "repair" in name]
        return Ran(state, calls, "\n".join(asked), "\n".join(journey.reviews()))


def listed(store: Path) -> list[Kept]:
    """The experiences as `repowright experience list` tells them."""
    said = CliRunner().invoke(app, ["list", "--json", "--store", str(store)])
    assert said.exit_code == 0, said.output
    known = Kept.model_fields
    rows = json.loads(said.stdout)
    return [Kept.model_validate({k: v for k, v in row.items() if k in known}) for row in rows]


def tallies(store: Path) -> dict[str, Tally]:
    return {lesson.id: kept.tally for kept in listed(store) if (lesson := kept.experience)}


def experiences(store: Path) -> list[Experience]:
    return [kept.experience for kept in listed(store) if kept.experience]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """A first run, killed once, and the store that it taught."""
    folder = tmp_path_factory.mktemp("experience")
    store = folder / "experience.sqlite"
    return ran(folder / "first", store, killed=True), store


@pytest.fixture
def store(taught: tuple[Ran, Path], tmp_path: Path) -> Path:
    """A copy of the store after the first run."""
    return Path(shutil.copy(taught[1], tmp_path))


def test_a_repair_teaches_once_even_where_its_leg_is_repeated(
    taught: tuple[Ran, Path],
) -> None:
    first, store = taught
    (entry,) = first.state.experiences
    assert (entry.given, entry.effect) == ((), Effect.IMPROVED)
    assert ADVICE not in first.asked
    assert entry.taught
    assert set(tallies(store)) == set(entry.taught)
    assert {tally.learned for tally in tallies(store).values()} == {1}
    assert "No experience was given;" in first.reviews
    for lesson in experiences(store):
        words = " ".join((lesson.scenario, lesson.strategy, *lesson.signal)).lower()
        assert not [name for name in ("tally", "counting", "first", "count") if name in words]


def test_a_repair_elsewhere_is_given_what_was_learnt_and_its_record_moves_once(
    store: Path, tmp_path: Path
) -> None:
    second = ran(tmp_path / "second", store, killed=True)
    (entry,) = second.state.experiences
    assert ADVICE in second.asked
    assert entry.given
    told = [(kept.experience.id, kept.tally) for kept in listed(store) if kept.experience]
    assert sorted(id_ for id_, tally in told if tally.improved) == sorted(entry.given)
    assert sum(tally.improved for _, tally in told) == len(entry.given)
    assert sum(tally.no_effect + tally.regressed for _, tally in told) == 0
    count = len(entry.given)
    assert f"**Experience:** {count} experience{'s' * (count > 1)} given; " in second.reviews
    assert "check tests that pass: " in second.reviews


def test_a_run_with_the_switch_off_is_told_nothing_and_teaches_nothing(
    store: Path, tmp_path: Path
) -> None:
    before = tallies(store)
    third = ran(tmp_path / "third", store, experience=False)
    assert (third.state.experiences, tallies(store)) == ((), before)
    assert third.asked and ADVICE not in third.asked
    assert "**Experience:**" not in third.reviews


def test_a_replay_asks_what_was_recorded_whatever_was_learnt_since(
    taught: tuple[Ran, Path], store: Path, tmp_path: Path
) -> None:
    before = tallies(store)
    with opened(tmp_path / "first", store) as journey:
        journey.begin(read_folder(TALLY))
        recorded = ReplayModel.from_files(taught[0].record)
        state, _ = journey.box.go(recorded, journey.diary, wait=False)
    assert (state.outcome, state.experiences) == (Outcome.PASSED, taught[0].state.experiences)
    assert tallies(store) == before


def test_a_broken_store_costs_no_run_and_is_said_once(tmp_path: Path) -> None:
    store = tmp_path / "experience.sqlite"
    store.write_text("no database at all, but long enough to be taken for one " * 40)
    state = ran(tmp_path / "fourth", store).state
    assert state.experiences == ()
    (note,) = [note for note in state.notes if note.startswith("Experience is left out")]
    assert "file is not a database" in note
