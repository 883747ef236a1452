"""From an event of the store to what filters look at, and to the commit whose workflows count.

https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
"""

from datetime import UTC, datetime

from bot.base import Data
from bot.forge.embedded.actions.triggers import Occasion
from bot.forge.embedded.git.objects import Signature
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.events import Event
from bot.forge.embedded.store.rows import Pull, Repository, WorkflowRun

_FOLLOWED_CHAIN = 3
_BY_MERGE = ("pull_request", "pull_request_review", "pull_request_review_comment")
_OUR_OWN = ("check_run", "check_suite", "workflow_job", "status")
_MERGER = "GitHub", "noreply@github.com"


class Source(Data):
    """Where a run's workflow files and work tree come from: `sha` is checked out as `ref`, the
    run is shown on `head_sha` and `head_branch`. `only` limits it to one workflow's path."""

    occasion: Occasion
    sha: str
    ref: str
    head_sha: str
    head_branch: str | None
    title: str = ""
    pull_numbers: tuple[int, ...] = ()
    only: str | None = None


def source_of(store: Store, event: Event) -> Source | None:
    """None for what starts no workflow: a deleted branch, a pull request that cannot be merged, an
    empty repository, what a GITHUB_TOKEN or Actions itself did."""
    repository = event.repository
    if repository is None or not event.starts_workflows:
        return None
    if event.name in _OUR_OWN and event.actor.app == store.apps.actions():
        return None
    if event.name == "push":
        return _push(store, repository, event)
    pull = event.subjects.get("pull_request")
    if isinstance(pull, Pull):
        return _pull(store, repository, event, pull)
    if event.name == "workflow_dispatch":
        return _dispatch(store, repository, event)
    return _default_branch(store, repository, event)


def _push(store: Store, repository: Repository, event: Event) -> Source | None:
    push = event.extra
    sha = None if push["deleted"] else store.git(repository).resolve(push["after"])
    if sha is None:
        return None
    kind, name = push["ref"].split("/", 2)[1:]
    changed = {
        path
        for commit in push["commits"]
        for part in ("added", "removed", "modified")
        for path in commit[part]
    }
    message = str((push["head_commit"] or {}).get("message", ""))
    occasion = Occasion(
        event="push",
        branch=name if kind == "heads" else None,
        tag=name if kind == "tags" else None,
        paths=tuple(sorted(changed)),
        message=message,
    )
    return Source(
        occasion=occasion,
        sha=sha,
        ref=push["ref"],
        head_sha=sha,
        head_branch=name,
        title=_first_line(message),
    )


def _pull(store: Store, repository: Repository, event: Event, pull: Pull) -> Source | None:
    git = store.git(repository)
    base = git.refs("refs/heads/").get(f"refs/heads/{pull.base_ref}")
    if base is None:
        return None
    if event.name in _BY_MERGE:
        sha, ref = _merged(store, repository, pull, base), f"refs/pull/{pull.number}/merge"
    else:
        sha, ref = base, f"refs/heads/{pull.base_ref}"
    if sha is None:
        return None
    changes = git.changes(git.merge_base(base, pull.head_sha), pull.head_sha)
    occasion = Occasion(
        event=event.name,
        action=event.action,
        branch=pull.base_ref,
        paths=tuple(change.path for change in changes),
        message=git.commit(pull.head_sha).message,
    )
    return Source(
        occasion=occasion,
        sha=sha,
        ref=ref,
        head_sha=pull.head_sha,
        head_branch=pull.head_ref,
        title=store.pulls.issue(pull).title,
        pull_numbers=(pull.number,),
    )


def _merged(store: Store, repository: Repository, pull: Pull, base: str) -> str | None:
    """The test merge of a pull request, kept under refs/pull; None where it conflicts."""
    git = store.git(repository)
    tree = git.merge_tree(base, pull.head_sha)
    if tree is None:
        return None
    ref = f"refs/pull/{pull.number}/merge"
    known = git.refs(ref).get(ref)
    if known and git.commit(known).parents == (base, pull.head_sha):
        return known
    person = Signature(*_MERGER, datetime.now(UTC))
    message = f"Merge {pull.head_sha} into {base}"
    sha = git.write_commit(tree, [base, pull.head_sha], message, person, person)
    git.update_ref(ref, sha)
    return sha


def _dispatch(store: Store, repository: Repository, event: Event) -> Source | None:
    ref = str(event.extra["ref"])
    sha = store.git(repository).resolve(ref)
    if sha is None:
        return None
    return Source(
        occasion=Occasion(event=event.name),
        sha=sha,
        ref=ref,
        head_sha=sha,
        head_branch=ref.split("/", 2)[2],
        only=str(event.extra["workflow"]),
    )


def _default_branch(store: Store, repository: Repository, event: Event) -> Source | None:
    branch = repository.default_branch
    ref = f"refs/heads/{branch}"
    sha = store.git(repository).refs("refs/heads/").get(ref)
    if sha is None:
        return None
    occasion = Occasion(event=event.name, action=event.action)
    finished = event.subjects.get("workflow_run")
    if isinstance(finished, WorkflowRun):
        if _chain(store, finished) >= _FOLLOWED_CHAIN:
            return None
        occasion = occasion.model_copy(
            update={"workflow": finished.name, "branch": finished.head_branch}
        )
    return Source(occasion=occasion, sha=sha, ref=ref, head_sha=sha, head_branch=branch)


def _chain(store: Store, run: WorkflowRun) -> int:
    """How many runs stand before this one, each started by the end of the one before."""
    length = 0
    current: WorkflowRun | None = run
    while current is not None and current.event == "workflow_run" and length < _FOLLOWED_CHAIN:
        before = current.payload.get("event", {}).get("workflow_run", {}).get("id", 0)
        current = store.tables.workflow_runs.one(id=before)
        length += 1
    return length


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0]
