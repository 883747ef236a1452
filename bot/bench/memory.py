"""A forge and a git in memory, so that a bench can drive hundreds of whole runs. Nobody but the
run is there: what it posts is not kept, and what people say is set by the bench."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bot.config import BudgetSettings
from bot.phases.run import RunState
from bot.phases.services import Spent
from bot.ports.checks import WorkflowRun
from bot.ports.forge import (
    Comment,
    HumanReview,
    Issue,
    Permission,
    PullRequest,
    Repository,
)
from bot.ports.git import BranchMoved

BOT = "bot@bench.invalid"
MAIN = "main"
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Killed(Exception):
    """The process ended here; nothing but what git holds is left."""


@dataclass(frozen=True)
class _Commit:
    parent: str
    files: Mapping[str, bytes]
    mark: str


@dataclass
class MemoryGit:
    """Implements GitStore. `kill_at` counts the moments before and after each write: at that one
    the process ends, -1 for never."""

    commits: dict[str, _Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    refs: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    saved: set[str] = field(default_factory=set)
    kill_at: int = -1

    def copy(self) -> "MemoryGit":
        return replace(
            self,
            commits=dict(self.commits),
            branches=dict(self.branches),
            refs=dict(self.refs),
            saved=set(self.saved),
        )

    def fetch(self) -> None:
        """Nothing is anywhere else."""

    def head(self, branch: str) -> str | None:
        return self.branches.get(branch)

    def read(self, commit: str) -> Mapping[str, bytes]:
        return self.commits[commit].files

    def add(self, parent: str, files: Mapping[str, bytes], mark: str) -> str:
        made = f"{len(self.commits):040x}"
        self.commits[made] = _Commit(parent, files, mark)
        return made

    def commit(
        self,
        branch: str,
        *,
        parent: str,
        changes: Mapping[str, bytes | None],
        message: str,
        mark: str,
    ) -> str:
        head = self.branches.get(branch)
        found = self._marked(head, mark)
        if found:
            return found
        if head not in (None, parent):
            raise BranchMoved(f"`{branch}` has moved")
        files = {p: c for p, c in self.read(parent).items() if changes.get(p, c) is not None}
        files |= {p: c for p, c in changes.items() if c is not None}
        self._strike()
        self.branches[branch] = self.add(parent, files, mark)
        self._strike()
        return self.branches[branch]

    def save_ref(self, ref: str, files: Mapping[str, bytes], *, message: str, mark: str) -> str:
        if mark not in self.saved:
            self._strike()
            self.refs[ref] = dict(files)
            self.saved.add(mark)
            self._strike()
        return mark

    def load_ref(self, ref: str) -> Mapping[str, bytes] | None:
        return self.refs.get(ref)

    def diff(self, old: str, new: str) -> str:
        return ""

    def holds(self, commit: str) -> bool:
        return commit in self.commits

    def authors_since(self, old: str, new: str) -> tuple[tuple[str, str], ...]:
        known = set(self._line(old))
        return tuple((commit, BOT) for commit in reversed(self._line(new)) if commit not in known)

    def _line(self, commit: str) -> list[str]:
        """The commit and all before it."""
        found: list[str] = []
        while commit:
            found.append(commit)
            commit = self.commits[commit].parent
        return found

    def _marked(self, head: str | None, mark: str) -> str:
        while head:
            if self.commits[head].mark == mark:
                return head
            head = self.commits[head].parent
        return ""

    def _strike(self) -> None:
        if self.kill_at == 0:
            self.kill_at = -1
            raise Killed
        self.kill_at -= self.kill_at > 0


@dataclass
class MemoryForge:
    """Implements Forge. `check` gives the artifact of a commit's check run, None for one that
    never ends; `said` is what a maintainer has commented."""

    git: MemoryGit
    check: Callable[[str], bytes | None]
    said: list[str] = field(default_factory=list)
    bodies: tuple[str, str] = ("", "")
    checked: list[str] = field(default_factory=list)

    def repository(self) -> Repository:
        return Repository(
            full_name="bench/parts",
            default_branch=MAIN,
            empty=False,
            private=False,
            html_url="",
            clone_url="",
        )

    def issue(self, number: int) -> Issue:
        comments = tuple(
            Comment(
                id=n,
                author="maintainer",
                author_is_bot=False,
                body=text,
                created_at=_START + timedelta(seconds=n),
                html_url="",
            )
            for n, text in enumerate(self.said if number == 1 else (), start=1)
        )
        return Issue(
            number=number,
            title=self.bodies[0],
            body=self.bodies[1],
            author="maintainer",
            state="open",
            locked=False,
            labels=(),
            comments=comments,
            html_url="",
        )

    def permission(self, login: str) -> Permission:
        return "admin"

    def download(self, url: str) -> bytes:
        return b""

    def first_commit(self, mark: str, path: str, text: str) -> str:
        return self.git.branches[MAIN]

    def open_issue(self, mark: str, **_: object) -> int:
        return 1

    def open_pull_request(self, mark: str, **_: object) -> PullRequest:
        return self.pull_request(2)

    def pull_request(self, number: int) -> PullRequest:
        return PullRequest(
            number=number,
            title="",
            body="",
            head="",
            base=MAIN,
            head_sha="",
            draft=True,
            state="open",
            merged=False,
            html_url="",
        )

    def describe_pull_request(self, number: int, *, title: str, body: str) -> None: ...

    def mark_ready(self, number: int) -> None: ...

    def comment(self, mark: str, number: int, body: str) -> Comment:
        return Comment(
            id=0, author="bot", author_is_bot=True, body="", created_at=_START, html_url=""
        )

    def react(self, comment_id: int, content: object) -> None: ...

    def review(self, mark: str, number: int, **_: object) -> str:
        return ""

    def human_reviews(self, number: int) -> tuple[HumanReview, ...]:
        return ()

    def check_run(self, mark: str, **_: object) -> None: ...

    def workflow_run(self, workflow: str, commit: str) -> WorkflowRun | None:
        if self.check(commit) is None:
            return None
        if commit not in self.checked:
            self.checked.append(commit)
        return WorkflowRun(
            id=self.checked.index(commit),
            name=workflow,
            head_sha=commit,
            status="completed",
            conclusion="failure",
            html_url="",
        )

    def dispatch(self, mark: str, workflow: str, ref: str) -> None: ...

    def artifact(self, run_id: int, name: str) -> bytes | None:
        return self.check(self.checked[run_id])

    def log(self, run_id: int) -> str:
        return ""

    def close_pull_request(self, number: int) -> None: ...


class Silence:
    """A narrator that nobody hears, and a record that holds nothing."""

    def tell(self, state: RunState, text: str) -> None: ...

    def files(self) -> Mapping[str, bytes]:
        return {}

    def spent(self) -> Spent:
        return Spent()

    def top_up(self, text: str, limits: BudgetSettings) -> BudgetSettings | None:
        return None


@dataclass
class Ticking:
    """A clock on which a minute goes by at each look."""

    now: datetime = _START

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now
