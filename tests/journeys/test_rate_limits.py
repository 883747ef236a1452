"""A run on a GitHub that says no for an hour: it waits and goes on, and nothing is doubled."""

import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from tally_journey import REPLIES, TALLY, Diary

from bot.base import Outcome
from bot.checks.sandbox import make_sandbox
from bot.config import BudgetSettings, Settings
from bot.forge.embedded.actions import LocalActions
from bot.forge.embedded.clock import MovableClock
from bot.forge.embedded.limits import Limits
from bot.forge.embedded.seed import seed
from bot.forge.embedded.server import EmbeddedGitHub
from bot.forge.embedded.store import Actor
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import AppKey, GivenToken
from bot.forge.github.forge import GitHubForge
from bot.forge.github.gitstore import GitHubGitStore
from bot.forge.github.pace import Clock
from bot.forge.github.scout import GitHubScout
from bot.local import issue_of
from bot.model.scripted import ScriptedModel
from bot.phases.record import save
from bot.runs.drive import drive
from bot.runs.start import new_run
from bot.spec.folder import spec_from_files
from bot.specfolder import read_folder
from bot.wiring import BOT, MAINTAINER, Hub, Workplace, services_of

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def github(tmp_path: Path, clock: MovableClock) -> Iterator[EmbeddedGitHub]:
    """It takes four content-creating requests an hour."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    runner = LocalActions(make_sandbox("bubblewrap"))
    made = EmbeddedGitHub(
        tmp_path / "github", clock=clock, actions=runner, limits=Limits(content_hour=4)
    ).start()
    yield made
    made.stop()


def test_a_run_waits_hour_after_hour_and_ends_as_ever(
    tmp_path: Path, github: EmbeddedGitHub, clock: MovableClock
) -> None:
    store, files = github.store, read_folder(TALLY)
    settings = Settings(model="claude-opus-4.8", budget=BudgetSettings(minutes=None))
    spec = spec_from_files(files)
    body, given = issue_of(spec, files, settings.check_tests)
    seeded = seed(store, "maintainer", "tally")
    url = GitHubSettings(
        api_url=github.api_url,
        repository="maintainer/tally",
        seconds_between_writes=0.0,
        settle_seconds=0.1,
    )
    person = Hub.open(
        Workplace(tmp_path / "seed"), url, GivenToken(token=SecretStr(seeded.token)), MAINTAINER
    )
    head = person.forge.first_commit("seed:first", "README.md", "# Tally\n")
    person.git.fetch()
    person.git.commit("main", parent=head, changes=dict(given), message="Given", mark="seed:given")
    issue = store.issues.create(seeded.repository, Actor(seeded.maintainer), spec.title, body)
    key = AppKey(
        app_id=str(seeded.app.id),
        private_key=SecretStr(seeded.private_key),
        installation_id=seeded.installation.id,
    )
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        """Nobody waits for an hour: the clock of both sides is moved. A look at a check waits."""
        pauses.append(seconds)
        clock.move(timedelta(seconds=seconds))
        time.sleep(min(seconds, 0.2))

    place = Workplace(tmp_path / "run")
    both = Clock(now=lambda: clock().timestamp(), sleep=pause)
    client = GitHubClient(url, key, clock=both)
    place.folder.mkdir()
    git = GitHubGitStore(place.clone, client, identity=BOT, now=clock)
    hub = Hub(client, GitHubForge(client), git, GitHubScout(client), client.redactor)
    hub.git.fetch()
    state, read = new_run(issue.number, settings, hub.forge, hub.git, clock)
    services = services_of(hub, place, state, ScriptedModel(REPLIES), Diary(), clock)
    save(state, read, services)
    state = drive(state, read, services, pause=pause, interval=0.2, wait_for_people=False)
    assert state.outcome is Outcome.PASSED
    assert len([seconds for seconds in pauses if seconds > 600]) >= 2
    reviews = [review.body for review in store.tables.reviews.find()]
    assert len(reviews) == len(set(reviews)) == len(state.rounds)
    said = store.issues.comments(store.issues.get(issue.id))
    assert len(said) == 1
