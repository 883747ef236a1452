"""What follows when refs move, by git or by the API: push events, pull requests, workflows."""

from collections.abc import Iterable

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.objects import ZERO, Commit, RefUpdate
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.accounts import Accounts, Apps
from bot.forge.embedded.store.actions import Actions
from bot.forge.embedded.store.checks import Checks
from bot.forge.embedded.store.core import Core
from bot.forge.embedded.store.pulls import Pulls
from bot.forge.embedded.store.reviews import Reviews
from bot.forge.embedded.store.rows import Json, Repository

MAX_COMMITS = 2048


class Pushes:
    def __init__(
        self,
        core: Core,
        accounts: Accounts,
        apps: Apps,
        checks: Checks,
        pulls: Pulls,
        reviews: Reviews,
        actions: Actions,
    ) -> None:
        self._core = core
        self._accounts = accounts
        self._apps = apps
        self._checks = checks
        self._pulls = pulls
        self._reviews = reviews
        self._actions = actions

    def record(self, repository: Repository, by: Actor, updates: Iterable[RefUpdate]) -> None:
        """Tell one push for every branch or tag that moved; other refs are silent, as on GitHub.
        https://docs.github.com/webhooks/webhook-events-and-payloads#push
        """
        with self._core.transaction():
            for update in updates:
                if update.ref.startswith("refs/heads/"):
                    repository = self._branch_moved(repository, by, update)
                elif update.ref.startswith("refs/tags/"):
                    self._tell(repository, by, update)

    def _branch_moved(self, repository: Repository, by: Actor, update: RefUpdate) -> Repository:
        repository = self._adopt_default_branch(repository, update)
        now = self._core.now()
        repository = self._core.tables.repositories.update(
            repository, pushed_at=now, updated_at=now
        )
        if update.ref == f"refs/heads/{repository.default_branch}" and not update.deleted:
            self._actions.register_workflows(repository, update.new)
        self._tell(repository, by, update)
        if not update.deleted:
            self._open_suites(repository, by, update)
        self._pulls.follow(repository, by, update)
        for pull in self._core.tables.pulls.find(head_sha=update.new):
            self._reviews.outdate(repository, pull)
        return repository

    def _open_suites(self, repository: Repository, by: Actor, update: RefUpdate) -> None:
        """Every App that may write checks gets a suite for the new commit, whether it ever puts a
        run in it or not.
        https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-checks
        """
        branch = update.ref.removeprefix("refs/heads/")
        present = {suite.app_id for suite in self._checks.suites(repository, update.new)}
        for app in self._apps.installed_on(repository):
            if app.permissions.get("checks") == "write" and app.id not in present:
                self._checks.create_suite(repository, app, update.new, branch, by)

    def _adopt_default_branch(self, repository: Repository, update: RefUpdate) -> Repository:
        """The first branch of an empty repository becomes its default branch."""
        git = self._core.git(repository)
        heads = git.refs("refs/heads/")
        branch = update.ref.removeprefix("refs/heads/")
        if update.created and list(heads) == [update.ref] and branch != repository.default_branch:
            git.set_default_branch(branch)
            return self._core.tables.repositories.update(repository, default_branch=branch)
        return repository

    def _tell(self, repository: Repository, by: Actor, update: RefUpdate) -> None:
        git = self._core.git(repository)
        self._core.publish("push", None, by, repository, self._push(git, update))
        kind = "branch" if update.ref.startswith("refs/heads/") else "tag"
        detail: Json = {
            "ref": update.ref.split("/", 2)[2],
            "ref_type": kind,
            "pusher_type": "user",
        }
        if update.created:
            description = {
                "master_branch": repository.default_branch,
                "description": repository.description,
            }
            self._core.publish("create", None, by, repository, detail | description)
        elif update.deleted:
            self._core.publish("delete", None, by, repository, detail)

    def _push(self, git: BareRepository, update: RefUpdate) -> Json:
        """The fields of a push that need no addresses: ref, before, after, commits …"""
        commits = [] if update.deleted else self._new_commits(git, update)
        forced = not (update.created or update.deleted) and not git.is_ancestor(
            update.old, update.new
        )
        described = [self._commit(git, commit) for commit in reversed(commits)]
        head = None
        if not update.deleted:
            tip = git.resolve(update.new)
            head = self._commit(git, git.commit(tip)) if tip else None
        return {
            "ref": update.ref,
            "before": update.old,
            "after": update.new,
            "created": update.created,
            "deleted": update.deleted,
            "forced": forced,
            "base_ref": None,
            "commits": described,
            "head_commit": head,
        }

    def _new_commits(self, git: BareRepository, update: RefUpdate) -> list[Commit]:
        tip = git.resolve(update.new)
        if tip is None:
            return []
        if update.old != ZERO:
            return git.log(tip, exclude=git.resolve(update.old), limit=MAX_COMMITS)
        others = [
            sha for ref, sha in git.refs("refs/heads/").items() if ref != update.ref and sha != tip
        ]
        base = next((b for o in others if (b := git.merge_base(o, tip))), None)
        return git.log(tip, exclude=base, limit=MAX_COMMITS)

    def _commit(self, git: BareRepository, commit: Commit) -> Json:
        parent = commit.parents[0] if commit.parents else None
        files = git.changes(parent, commit.sha)
        return {
            "id": commit.sha,
            "tree_id": commit.tree,
            "distinct": True,
            "message": commit.message,
            "timestamp": commit.author.date.isoformat(),
            "author": self._person(commit.author.name, commit.author.email),
            "committer": self._person(commit.committer.name, commit.committer.email),
            "added": [f.path for f in files if f.status in ("added", "renamed", "copied")],
            "removed": [
                f.previous_path or f.path for f in files if f.status in ("removed", "renamed")
            ],
            "modified": [f.path for f in files if f.status in ("modified", "changed")],
        }

    def _person(self, name: str, email: str) -> Json:
        account = self._accounts.by_email(email)
        person = {"name": name, "email": email}
        return person | ({"username": account.login} if account else {})
