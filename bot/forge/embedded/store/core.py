"""What every part of the store stands on: the tables, the bus, the clock and the data folder."""

import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.memory import Memory
from bot.forge.embedded.store import rows
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.database import Database, Table
from bot.forge.embedded.store.events import Bus, Event
from bot.forge.embedded.store.rows import Json, Repository, Row

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    return datetime.now(UTC)


class Tables:
    """One typed table per row model."""

    def __init__(self, db: Database) -> None:
        self.accounts = Table(db, rows.Account, "accounts")
        self.memberships = Table(db, rows.Membership, "memberships")
        self.apps = Table(db, rows.App, "apps")
        self.installations = Table(db, rows.Installation, "installations")
        self.tokens = Table(db, rows.Token, "tokens")
        self.repositories = Table(db, rows.Repository, "repositories")
        self.redirects = Table(db, rows.Redirect, "redirects")
        self.collaborators = Table(db, rows.Collaborator, "collaborators")
        self.protections = Table(db, rows.Protection, "protections")
        self.labels = Table(db, rows.Label, "labels")
        self.milestones = Table(db, rows.Milestone, "milestones")
        self.issues = Table(db, rows.Issue, "issues")
        self.lost_issues = Table(db, rows.LostIssue, "lost_issues")
        self.comments = Table(db, rows.Comment, "comments")
        self.reactions = Table(db, rows.Reaction, "reactions")
        self.timeline_events = Table(db, rows.TimelineEvent, "timeline_events")
        self.pulls = Table(db, rows.Pull, "pulls")
        self.reviews = Table(db, rows.Review, "reviews")
        self.review_comments = Table(db, rows.ReviewComment, "review_comments")
        self.check_suites = Table(db, rows.CheckSuite, "check_suites")
        self.check_runs = Table(db, rows.CheckRun, "check_runs")
        self.statuses = Table(db, rows.Status, "statuses")
        self.workflows = Table(db, rows.Workflow, "workflows")
        self.workflow_runs = Table(db, rows.WorkflowRun, "workflow_runs")
        self.workflow_jobs = Table(db, rows.WorkflowJob, "workflow_jobs")
        self.artifacts = Table(db, rows.Artifact, "artifacts")
        self.environments = Table(db, rows.Environment, "environments")
        self.branch_policies = Table(db, rows.BranchPolicy, "branch_policies")
        self.secrets = Table(db, rows.Secret, "secrets")
        self.variables = Table(db, rows.Variable, "variables")
        self.registrations = Table(db, rows.Registration, "registrations")
        self.hooks = Table(db, rows.Hook, "hooks")
        self.deliveries = Table(db, rows.Delivery, "deliveries")


class Core:
    def __init__(self, folder: Path, clock: Clock) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.clock = clock
        self.database = Database(folder / "embedded.sqlite3")
        self.tables = Tables(self.database)
        self.bus = Bus(self.database)
        self.transaction = self.database.transaction
        self._memory = Memory()

    def now(self) -> datetime:
        """The clock's time in UTC, in whole seconds as GitHub gives times."""
        return self.clock().astimezone(UTC).replace(microsecond=0)

    def git(self, repository: Repository) -> BareRepository:
        path = self.folder / "repositories" / f"{repository.id}.git"
        return BareRepository(path, self._memory)

    def file(self, kind: str, name: str) -> Path:
        """Where a log or artifact lies; its folder exists."""
        path = self.folder / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def publish(
        self,
        name: str,
        action: str | None,
        actor: Actor,
        repository: Repository | None,
        extra: Json | None = None,
        **subjects: Row,
    ) -> None:
        self.bus.publish(Event(name, action, actor, repository, subjects, extra or {}))


def secret(prefix: str) -> str:
    """A fresh secret with GitHub's prefix for its kind."""
    return prefix + secrets.token_hex(18)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
