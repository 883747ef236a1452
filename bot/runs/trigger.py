"""Who may have a run started. A delivery only says where to look: what counts is
what the forge says now, so lost, doubled and reordered deliveries do no harm."""

from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from bot.base import Data
from bot.phases.steering import MAY_STEER, Verb, commands_of
from bot.phases.texts import page, say
from bot.ports.forge import Comment, Issue
from bot.runs.events import Commanded, Event, Labelled
from bot.runs.place import Place
from bot.runs.start import branch_name, run_ref

_STARTING = ("run", "retry")


class Go(Data):
    """Leave to start, given by `by`; what was said before `since` is not for the new run."""

    by: str
    since: datetime


def asked_to_start(number: int, events: Sequence[Event], place: Place) -> Go | None:
    """Leave to start a run on an issue without one. Commands that need a run are answered."""
    asking = [e for e in events if isinstance(e, Labelled) or _is_on_issue(e)]
    if not asking:
        return None
    issue = place.forge.issue(number)
    if issue.state == "closed":
        return None
    if _is_lost(issue, asking, place):
        return None
    given = [_leave(issue, event, place) for event in asking]
    return next((go for go in given if go is not None), None)


def _is_lost(issue: Issue, asking: Sequence[Event], place: Place) -> bool:
    """Whether an earlier run's branch is there and its ref is not. Somebody took that away, and
    the label that the issue still has shall not begin, and cost, all of it again."""
    label_alone = all(isinstance(event, Labelled) for event in asking)
    if not label_alone or place.git.head(branch_name(issue.number, issue.title)) is None:
        return False
    if not issue.locked:
        text = say("answer_lost", ref=run_ref(issue.number))
        place.forge.comment(f"rw{issue.number}:lost", issue.number, text)
    return True


def may_steer(login: str, place: Place) -> bool:
    return place.forge.permission(login) in MAY_STEER


def _is_on_issue(event: Event) -> bool:
    return isinstance(event, Commanded) and not event.on_pull


def _leave(issue: Issue, event: Event, place: Place) -> Go | None:
    if isinstance(event, Labelled):
        labels = {label.casefold() for label in issue.labels}
        if place.settings.label.casefold() in labels and may_steer(event.sender, place):
            return Go(by=event.sender, since=event.at)
        return None
    if not isinstance(event, Commanded):
        return None
    comment = next((c for c in issue.comments if c.id == event.comment), None)
    verbs = _verbs(comment, place) if comment else []
    if comment is None or not verbs:
        return None
    if not may_steer(comment.author, place):
        place.forge.react(comment.id, "-1")
        return None
    if any(verb in _STARTING for verb in verbs):
        return Go(by=comment.author, since=comment.created_at)
    _answer(issue, comment, verbs, place)
    return None


def _verbs(comment: Comment, place: Place) -> list[str]:
    if comment.author_is_bot or comment.edited:
        return []
    return [verb for verb, _ in commands_of(comment.body, place.settings.command)]


def _answer(issue: Issue, comment: Comment, verbs: Sequence[str], place: Place) -> None:
    """Say that there is no run, or what one may say."""
    known = all(verb in get_args(Verb) for verb in verbs)
    place.forge.react(comment.id, "+1" if known else "-1")
    if issue.locked:
        return
    text = page("help") if "help" in verbs or not known else say("answer_no_run")
    place.forge.comment(f"rw{issue.number}:answer.{comment.id}", issue.number, text)
