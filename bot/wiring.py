"""Which adapter stands behind which port: the only place that names a concrete one."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

from bot.base import RepowrightError
from bot.config import BudgetSettings, Settings
from bot.experience.adviser import Adviser
from bot.forge.github.client import GitHubClient, GitHubSettings
from bot.forge.github.credentials import Credentials
from bot.forge.github.forge import GitHubForge
from bot.forge.github.gitstore import GitHubGitStore, Identity
from bot.forge.github.leased import LeasedGitStore
from bot.forge.github.pace import Pacer
from bot.forge.github.scout import GitHubScout
from bot.model.attempt import Backend
from bot.model.budget import parse_top_up
from bot.model.journal import Journal, settled_names
from bot.model.mailbox import MailboxModel
from bot.model.prices import Prices
from bot.model.recorded import RecordedModel, open_recorded
from bot.model.replay import ReplayModel
from bot.model.stopwatch import Stopwatch
from bot.phases.record import load
from bot.phases.run import RunState
from bot.phases.services import Narrator, Services, Spent
from bot.ports.calls import CallKeeper
from bot.ports.checks import Checks
from bot.ports.meter import Meter
from bot.redaction import Redactor

BOT = Identity(name="repowright[bot]", email="repowright[bot]@users.noreply.github.com")

MAINTAINER = Identity(name="Maintainer", email="maintainer@users.noreply.localhost")


def now() -> datetime:
    return datetime.now(UTC)


class JournalRecord:
    """The engine's Record: what the recorded model keeps, and the time spent waiting for it."""

    def __init__(self, model: RecordedModel, stopwatch: Stopwatch) -> None:
        self._model = model
        self._stopwatch = stopwatch

    def files(self) -> Mapping[str, bytes]:
        return self._model.journal.files()

    def spent(self) -> Spent:
        total = self._model.ledger.total
        return Spent(
            usd=float(total.usd),
            calls=total.calls,
            usage=total.usage,
            seconds=self._stopwatch.seconds,
        )

    def top_up(self, text: str, limits: BudgetSettings) -> BudgetSettings | None:
        more = parse_top_up(text)
        if more is None:
            return None
        self._model.budget.top_up(more)
        return BudgetSettings(
            usd=None if limits.usd is None else limits.usd + float(more.usd),
            tokens=None if limits.tokens is None else limits.tokens + more.tokens,
            calls=None if limits.calls is None else limits.calls + more.calls,
            minutes=None if limits.minutes is None else limits.minutes + more.minutes,
        )


def backend_of(choice: str, settings: Settings, environ: Mapping[str, str]) -> Backend:
    """The backend that `openai`, `mailbox:FOLDER` or `replay:FOLDER` names."""
    kind, _, folder = choice.partition(":")
    if kind == "openai" and not folder:
        # The client's library takes longer to load than all the rest; the others do without it.
        from bot.model.openai_backend import OpenAIBackend

        return OpenAIBackend(settings.endpoint, environ, fallbacks=settings.fallback_models)
    if kind == "mailbox" and folder:
        return MailboxModel(Path(folder))
    if kind == "replay" and folder:
        return ReplayModel.from_folder(Path(folder))
    raise RepowrightError(
        f"there is no model backend `{choice}`",
        hint="use `openai`, `mailbox:FOLDER` or `replay:FOLDER`",
    )


@dataclass(frozen=True)
class Workplace:
    """Where one run keeps what it can rebuild: its clone, its journal of model calls."""

    folder: Path

    @property
    def clone(self) -> Path:
        return self.folder / "clone.git"

    @property
    def journal(self) -> Path:
        return self.folder / "record"


@dataclass(frozen=True)
class Hub:
    """One repository with credentials: the forge and git sides of the bot, and the scout that a
    server sends out."""

    client: GitHubClient
    forge: GitHubForge
    git: GitHubGitStore
    scout: GitHubScout
    redactor: Redactor

    @classmethod
    def open(
        cls,
        place: Workplace,
        github: GitHubSettings,
        credentials: Credentials,
        identity: Identity = BOT,
        pacer: Pacer | None = None,
        secrets: tuple[str, ...] = (),
        meter: Meter | None = None,
    ) -> "Hub":
        """`pacer` is shared by all hubs that write with one credential; `secrets` are what must
        not be shown besides it."""
        known = Redactor(lambda: secrets)
        client = GitHubClient(github, credentials, pacer=pacer, redactor=known, meter=meter)
        place.folder.mkdir(parents=True, exist_ok=True)
        git = GitHubGitStore(
            place.clone, client, identity=identity, now=now, redactor=client.redactor
        )
        return cls(
            client=client,
            forge=GitHubForge(client),
            git=git,
            scout=GitHubScout(client),
            redactor=client.redactor,
        )

    def leased(
        self, place: Workplace, ref: str, holder: str, page: str, span: timedelta
    ) -> tuple["Hub", LeasedGitStore]:
        """The same with a git store that works on the run of `ref` alone, as `holder` whom people
        can watch at `page`; its lease holds for `span`."""
        git = LeasedGitStore(
            place.clone,
            self.client,
            ref=ref,
            holder=holder,
            place=page,
            span=span,
            identity=BOT,
            now=now,
            redactor=self.redactor,
        )
        return replace(self, git=git), git


def services_of(
    hub: Hub,
    place: Workplace,
    state: RunState,
    backend: Backend,
    narrator: Narrator,
    clock: Callable[[], datetime] = now,
    adviser: Adviser | None = None,
    meter: Meter | None = None,
    keeper: CallKeeper | None = None,
    checks: Checks | None = None,
) -> Services:
    """The services of one run, its journal and budget going on where they stopped. Without an
    adviser nothing is learnt, without a meter no call is counted; a keeper holds what other
    machines could not know of the run's calls. Check tests run in GitHub Actions unless `checks`
    says otherwise."""
    settings = state.settings
    saved = _saved_calls(hub, state)
    Journal.restored(place.journal, {**(keeper.kept() if keeper else {}), **saved})
    if keeper is not None:
        keeper.drop(settled_names(saved))
    recorded = open_recorded(
        backend,
        place.journal,
        settings.budget,
        prices=Prices(settings.endpoint.price_as),
        clock=time.monotonic,
        now=clock,
        used_seconds=state.seconds.total,
        redactor=hub.redactor,
        meter=meter,
        keeper=keeper,
    )
    stopwatch = Stopwatch(recorded, time.monotonic, already=state.seconds.model)
    return Services(
        forge=hub.forge,
        checks=checks or hub.forge,
        git=hub.git,
        model=stopwatch,
        record=JournalRecord(recorded, stopwatch),
        narrator=narrator,
        clock=clock,
        bot_email=BOT.email,
        check_workflow=_check_workflow(),
        adviser=adviser,
    )


def _saved_calls(hub: Hub, state: RunState) -> Mapping[str, bytes]:
    """What the ref holds of this run; an earlier run's calls are none of its budget."""
    files = hub.git.load_ref(state.ref)
    if files is None or load(files, state.ref)[0].run_id != state.run_id:
        return {}
    return files


def _check_workflow() -> str:
    return (
        resources.files("bot.forge.workflows").joinpath("repowright-check.yml").read_text("utf-8")
    )
