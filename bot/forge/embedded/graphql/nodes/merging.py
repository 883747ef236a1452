"""What stands between a pull request and its merge."""

from bot.forge.embedded.graphql.nodes.base import Context
from bot.forge.embedded.graphql.nodes.checks import required_checks
from bot.forge.embedded.graphql.nodes.git import BranchProtectionRule
from bot.forge.embedded.graphql.nodes.rollup import Rollup
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import at_least
from bot.forge.embedded.store.rows import Pull, Repository, Review

_OPINIONS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")


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
    store: Store, repository: Repository, pull: Pull, writers_only: bool = False
) -> list[Review]:
    """Everybody's newest approval or request for changes that stands."""
    found = [review for review in store.reviews.of(pull) if review.state in _OPINIONS]
    newest = {review.author_id: review for review in found}
    return [
        review
        for account, review in newest.items()
        if review.state != "DISMISSED" and (not writers_only or _writes(store, repository, account))
    ]


def decision(store: Store, repository: Repository, pull: Pull) -> str | None:
    """https://docs.github.com/graphql/reference/enums#pullrequestreviewdecision"""
    states = [review.state for review in opinions(store, repository, pull, writers_only=True)]
    protection = store.repositories.protection(repository, pull.base_ref)
    needed = protection and BranchProtectionRule(protection).required_approving_review_count()
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    if needed and states.count("APPROVED") < needed:
        return "REVIEW_REQUIRED"
    return "APPROVED" if "APPROVED" in states else None


def mergeable(store: Store, repository: Repository, pull: Pull) -> str:
    if store.pulls.issue(pull).state != "open":
        return "UNKNOWN"
    return "MERGEABLE" if store.pulls.mergeable(repository, pull) else "CONFLICTING"


def merge_state(context: Context, repository: Repository, pull: Pull) -> str:
    """https://docs.github.com/graphql/reference/enums#mergestatestatus"""
    store = context.store
    can = mergeable(store, repository, pull)
    if can != "MERGEABLE":
        return "UNKNOWN" if can == "UNKNOWN" else "DIRTY"
    if pull.draft:
        return "DRAFT"
    rollup = Rollup(context, repository, pull.head_sha)
    if _blocked(store, repository, pull, rollup):
        return "BLOCKED"
    if _behind(store, repository, pull):
        return "BEHIND"
    checked = rollup.runs or rollup.statuses
    return "UNSTABLE" if checked and rollup.state() != "SUCCESS" else "CLEAN"


def _blocked(store: Store, repository: Repository, pull: Pull, rollup: Rollup) -> bool:
    protection = store.repositories.protection(repository, pull.base_ref)
    if protection is None:
        return False
    reviews = BranchProtectionRule(protection).requires_approving_reviews()
    if reviews and decision(store, repository, pull) in ("REVIEW_REQUIRED", "CHANGES_REQUESTED"):
        return True
    good = {r.name for r in rollup.runs if r.conclusion in ("success", "neutral", "skipped")}
    good |= {status.context for status in rollup.statuses if status.state == "success"}
    return bool(required_checks(protection) - good)


def _behind(store: Store, repository: Repository, pull: Pull) -> bool:
    protection = store.repositories.protection(repository, pull.base_ref)
    if protection is None or not BranchProtectionRule(protection).requires_strict_status_checks():
        return False
    git = store.git(repository)
    base = git.refs("refs/heads/").get(f"refs/heads/{pull.base_ref}")
    return base is not None and not git.is_ancestor(base, pull.head_sha)


def _writes(store: Store, repository: Repository, account_id: int) -> bool:
    account = store.accounts.get(account_id)
    return at_least(store.repositories.permission(repository, account), "write")
