"""GitHub that breaks down in the middle of a step, and what no try helps."""

from pathlib import Path

import pytest
from life_world import WRITTEN, Life
from one_place import CODE, OnePlace, desk_of

from bot.base import Outcome
from bot.forge.embedded.seed import APP_PERMISSIONS
from bot.forge.embedded.server import EmbeddedGitHub
from bot.phases.run import Phase
from bot.ports.forge import Transient
from bot.ports.model import ModelRequest
from bot.runs.drive import drive
from bot.runs.events import Commanded, Swept, Woken
from bot.runs.inbox import Address
from bot.runs.sitting import MOST_ATTEMPTS, Sitting
from bot.runs.start import find_run

pytestmark = pytest.mark.timeout(120)


def test_a_github_that_goes_away_within_a_step_costs_no_run(planned: Life) -> None:
    def away(request: ModelRequest) -> str:
        planned.github.stop()
        return str(WRITTEN[CODE])

    def back(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            port = planned.github.port
            planned.github = EmbeddedGitHub(planned.folder / "github", port=port).start()

    pauses: list[float] = []
    planned.go()
    found = find_run(1, planned.bot.git)
    assert found is not None
    state, spec = found
    services = planned.services(state, {CODE: away})
    state = drive(
        state, spec, services, pause=back, interval=0.1, wait_for_people=False, most_legs=1
    )
    assert (state.phase, state.outcome, planned.saved()) == (Phase.CHECK, None, state)
    assert pauses == [0.2, 0.1]


def test_what_cannot_be_sorted_keeps_nothing_else_from_it(planned: Life, tmp_path: Path) -> None:
    """A command on a pull request that is no more, and a sweep that is due."""
    desk = desk_of(planned, tmp_path)
    place = {"repository": "maintainer/tally", "installation": 0}
    lost = Commanded(**place, number=99, on_pull=True, comment=1)
    desk.inbox.put(lost)
    desk.inbox.put(Swept(**place))
    address = Address(**place, issue=0)
    told = Sitting(address, OnePlace(planned, str), desk).leg(0)
    assert told.kind == "trouble"
    assert [task.event for task in desk.inbox.read(address)] == [lost]
    woken = desk.inbox.read(address.model_copy(update={"issue": 1}))
    assert [task.event for task in woken] == [Woken(**place, issue=1, why="swept")]


def test_what_the_bot_may_not_read_keeps_nothing_else_from_it(
    planned: Life, tmp_path: Path
) -> None:
    """A command on a pull request where those may not be read, and a sweep that is due."""
    desk = desk_of(planned, tmp_path)
    place = {"repository": "maintainer/tally", "installation": 0}
    kept = {name: level for name, level in APP_PERMISSIONS.items() if name != "pull_requests"}
    planned.store.repositories.edit(planned.repository, planned.by, private=True)
    planned.store.apps.grant(planned.installation, kept)
    desk.inbox.put(Commanded(**place, number=2, on_pull=True, comment=1))
    desk.inbox.put(Swept(**place))
    address = Address(**place, issue=0)
    told = Sitting(address, OnePlace(planned, str), desk).leg(0)
    assert (told.kind, desk.inbox.read(address)) == ("over", ())
    assert "pull_requests" in told.note
    woken = desk.inbox.read(address.model_copy(update={"issue": 1}))
    assert [task.event for task in woken] == [Woken(**place, issue=1, why="swept")]


def test_what_no_try_helps_ends_the_run_and_is_said_once(planned: Life, tmp_path: Path) -> None:
    def down(request: ModelRequest) -> str:
        raise Transient("GitHub answered with status 500", where="POST /repos/x")

    planned.go()
    desk = desk_of(planned, tmp_path)
    address = Address(repository="maintainer/tally", installation=0, issue=1)
    sitting = Sitting(address, OnePlace(planned, down), desk)
    assert sitting.leg(0).kind == "trouble"
    assert planned.saved().outcome is None
    assert sitting.leg(MOST_ATTEMPTS - 1).kind == "leg"
    told = sitting.leg(0)
    state = planned.saved()
    assert (told.kind, state.phase) == ("over", Phase.DONE)
    assert state.outcome is Outcome.INFRASTRUCTURE_FAILED
    assert planned.said.count("GitHub answered with status 500") == 1
    assert "comment `/repowright retry`" in planned.said


def test_a_fault_of_the_bots_own_ends_the_run_and_is_said(planned: Life, tmp_path: Path) -> None:
    desk = desk_of(planned, tmp_path)
    address = Address(repository="maintainer/tally", installation=0, issue=1)
    assert Sitting(address, OnePlace(planned, str), desk).leg(MOST_ATTEMPTS).kind == "leg"
    assert planned.saved().outcome is Outcome.INFRASTRUCTURE_FAILED
    assert planned.said.count("the bot itself is at fault (its log tells more)") == 1


def test_a_run_that_cannot_be_written_to_is_told_of_once(planned: Life, tmp_path: Path) -> None:
    """Its git does not answer, and the rest of GitHub does."""
    git = planned.store.git(planned.repository).path
    git.rename(git.with_suffix(".away"))
    desk = desk_of(planned, tmp_path)
    address = Address(repository="maintainer/tally", installation=0, issue=1)
    sitting = Sitting(address, OnePlace(planned, str), desk)
    assert [sitting.leg(MOST_ATTEMPTS - 1).kind for _ in range(2)] == ["trouble", "trouble"]
    assert planned.said.count("The bot cannot go on: ") == 1
    assert planned.said.count("`/repowright retry` has it go on at once") == 1
