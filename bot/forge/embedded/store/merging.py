"""What stands between a pull request and its merge, and the merge itself, for every way in."""

from bot.forge.embedded.git.objects import ZERO, RefUpdate
from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import Actor, at_least
from bot.forge.embedded.store.errors import Refused, conflict
from bot.forge.embedded.store.policy import flag
from bot.forge.embedded.store.pulls import signature
from bot.forge.embedded.store.rows import CheckRun, Json, Pull, Repository, Review, Status

_OPINIONS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_GOOD = ("success", "neutral", "skipped")


# Reviews


def latest_reviews(store: Store, pull: Pull) -> list[Review]:
    """The newest review of everybody but the author, without those asked to look again."""
    author = store.pulls.issue(pull).author_id
    newest = {review.author_id: review for review in store.reviews.of(pull)}
    return [
        review
        for account, review in newest.items()
        if account != author and account not in pull.requested_reviewer_ids
    ]


def opinions(
    store: Store, repository: Repository, pull: Pull, *, writers_only: bool = False
) -> list[Review]:
    """Everybody's newest approval or request for changes, unless it was dismissed."""
    found = [review for review in store.reviews.of(pull) if review.state in _OPINIONS]
    newest = {review.author_id: review for review in found}
    return [
        review
        for account, review in newest.items()
        if review.state != "DISMISSED" and (not writers_only or _writes(store, repository, account))
    ]


def needed_approvals(store: Store, repository: Repository, pull: Pull) -> int:
    protection = store.repositories.protection(repository, pull.base_ref)
    reviews = protection.settings.get("required_pull_request_reviews") if protection else None
    return 0 if reviews is None else int(reviews.get("required_approving_review_count", 1))


def review_decision(store: Store, repository: Repository, pull: Pull) -> str | None:
    """https://docs.github.com/graphql/reference/enums#pullrequestreviewdecision"""
    states = [review.state for review in opinions(store, repository, pull, writers_only=True)]
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    if states.count("APPROVED") < needed_approvals(store, repository, pull):
        return "REVIEW_REQUIRED"
    return "APPROVED" if "APPROVED" in states else None


# Checks


def latest_checks(store: Store, repository: Repository, sha: str) -> list[CheckRun]:
    """The newest check run of each name in each suite of a commit."""
    runs = store.checks.runs(repository, sha)
    return list({(run.suite_id, run.name): run for run in runs}.values())


def check_state(runs: list[CheckRun], statuses: list[Status]) -> str | None:
    """What the checks of a commit come to: error, failure, pending, success; None for none."""
    if not runs and not statuses:
        return None
    states = {status.state for status in statuses}
    done = [run for run in runs if run.status == "completed"]
    if "failure" in states or any(run.conclusion not in _GOOD for run in done):
        return "failure"
    if "error" in states:
        return "error"
    return "pending" if "pending" in states or len(done) < len(runs) else "success"


def required_checks(settings: Json) -> set[str]:
    """The names that branch protection wants to see succeed."""
    wanted = settings.get("required_status_checks") or {}
    named = {check["context"] for check in wanted.get("checks") or ()}
    return named | set(wanted.get("contexts") or ())


# Merging


def merge_state(store: Store, repository: Repository, pull: Pull) -> str:
    """https://docs.github.com/graphql/reference/enums#mergestatestatus in lower case."""
    if store.pulls.issue(pull).state != "open":
        return "unknown"
    if not store.pulls.mergeable(repository, pull):
        return "dirty"
    if pull.draft:
        return "draft"
    if _missing(store, repository, pull):
        return "blocked"
    if _is_behind(store, repository, pull):
        return "behind"
    _, statuses = store.checks.combined(repository, pull.head_sha)
    state = check_state(latest_checks(store, repository, pull.head_sha), statuses)
    return "clean" if state in (None, "success") else "unstable"


def merge(
    store: Store,
    repository: Repository,
    pull: Pull,
    by: Actor,
    *,
    method: str = "merge",
    title: str | None = None,
    message: str | None = None,
    expected_head: str | None = None,
) -> RefUpdate:
    """Merge, tell the push, and delete the head branch where the repository wants that.

    Branch protection is asked first; administrators pass it unless it is enforced for them.
    https://docs.github.com/rest/pulls/pulls#merge-a-pull-request
    """
    missing = _missing(store, repository, pull)
    if missing is not None and not _may_bypass(store, repository, pull, by):
        raise Refused(405, missing)
    update = store.pulls.merge(
        repository,
        pull,
        by,
        method=method,
        title=title,
        message=message,
        expected_head=expected_head,
    )
    store.record_push(repository, by, [update])
    if repository.delete_branch_on_merge and pull.head_repository_id == repository.id:
        _delete_head(store, repository, pull, by)
    return update


def update_branch(
    store: Store,
    repository: Repository,
    pull: Pull,
    by: Actor,
    *,
    expected_head: str | None = None,
    rebase: bool = False,
) -> RefUpdate:
    """Bring the base branch into the head branch.
    https://docs.github.com/rest/pulls/pulls#update-a-pull-request-branch
    """
    if expected_head is not None and expected_head != pull.head_sha:
        raise Refused(422, f"expected head sha didn't match current head ref. ({expected_head})")
    refusal = store.repositories.push_refusal(by, repository, pull.head_ref)
    if refusal is not None:
        raise Refused(422, refusal)
    new = _updated_head(store, repository, pull, by, rebase=rebase)
    if new is None:
        raise Refused(422, "merge conflict between base and head")
    update = RefUpdate(f"refs/heads/{pull.head_ref}", pull.head_sha, new)
    try:
        store.git(repository).update_ref(update.ref, update.new, update.old)
    except GitFailed as error:
        raise conflict("Head branch was modified. Review and try again.") from error
    store.record_push(repository, by, [update])
    return update


def _updated_head(
    store: Store, repository: Repository, pull: Pull, by: Actor, *, rebase: bool
) -> str | None:
    git = store.git(repository)
    base = git.refs("refs/heads/")[f"refs/heads/{pull.base_ref}"]
    if git.is_ancestor(base, pull.head_sha):
        raise Refused(422, "There are no new commits on the base branch.")
    person = signature(by.user, store.core)
    if rebase:
        return git.rebase(base, pull.head_sha, person)
    tree = git.merge_tree(pull.head_sha, base)
    if tree is None:
        return None
    message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    return git.write_commit(tree, [pull.head_sha, base], message, person, person)


def _missing(store: Store, repository: Repository, pull: Pull) -> str | None:
    """What branch protection still wants, in GitHub's words."""
    protection = store.repositories.protection(repository, pull.base_ref)
    if protection is None:
        return None
    needed = needed_approvals(store, repository, pull)
    decision = review_decision(store, repository, pull)
    if needed and decision == "CHANGES_REQUESTED":
        return "Changes have been requested by reviewers with write access."
    if decision == "REVIEW_REQUIRED":
        return f"At least {needed} approving review is required by reviewers with write access."
    runs = latest_checks(store, repository, pull.head_sha)
    _, statuses = store.checks.combined(repository, pull.head_sha)
    good = {run.name for run in runs if run.conclusion in _GOOD}
    good |= {status.context for status in statuses if status.state == "success"}
    expected = sorted(required_checks(protection.settings) - good)
    return f'Required status check "{expected[0]}" is expected.' if expected else None


def _is_behind(store: Store, repository: Repository, pull: Pull) -> bool:
    protection = store.repositories.protection(repository, pull.base_ref)
    checks = protection.settings.get("required_status_checks") if protection else None
    if not flag(checks or {}, "strict"):
        return False
    git = store.git(repository)
    base = git.refs("refs/heads/").get(f"refs/heads/{pull.base_ref}")
    return base is not None and not git.is_ancestor(base, pull.head_sha)


def _may_bypass(store: Store, repository: Repository, pull: Pull, by: Actor) -> bool:
    protection = store.repositories.protection(repository, pull.base_ref)
    return (
        protection is not None
        and not flag(protection.settings, "enforce_admins")
        and store.repositories.allows(by, repository, "administration", "admin")
    )


def _delete_head(store: Store, repository: Repository, pull: Pull, by: Actor) -> None:
    """A protected branch stays."""
    ref = f"refs/heads/{pull.head_ref}"
    git = store.git(repository)
    if store.repositories.protection(repository, pull.head_ref) is None and ref in git.refs(ref):
        git.delete_ref(ref)
        store.record_push(repository, by, [RefUpdate(ref, pull.head_sha, ZERO)])


def _writes(store: Store, repository: Repository, account_id: int) -> bool:
    """Bots write through their App's installation, which is not an account's permission."""
    account = store.accounts.get(account_id)
    return account.kind == "Bot" or at_least(
        store.repositories.permission(repository, account), "write"
    )
