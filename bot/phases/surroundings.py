"""What happens around a run while it works: on its issue, its pull request and its repository.

Facts are told in the progress comment and in the pull request as long as they hold; what has
happened once is a note. docs/life.md has one row for each.
"""

import hashlib

from bot.base import Data, Outcome
from bot.markdown import code
from bot.phases.run import Phase, RunState, Wait
from bot.phases.services import Services
from bot.phases.texts import say
from bot.ports.forge import Issue, IssueGone, PullRequest
from bot.spec.model import Document, DocumentKind
from bot.spec.references import author_texts, references_of
from bot.spec.split import split_document


class Surroundings(Data):
    """Issue and pull request as the forge shows them now; `gone` says where the issue went, as
    far as that can be told, and is None while the issue is there."""

    issue: Issue | None = None
    pull: PullRequest | None = None
    gone: str | None = None

    @property
    def closed(self) -> bool:
        return any(
            place is not None and place.state == "closed" for place in (self.issue, self.pull)
        )


def look(state: RunState, services: Services) -> Surroundings:
    """Ask the forge; raise Unavailable where it lets nobody look."""
    pull = services.forge.pull_request(state.pull_request) if state.pull_request else None
    try:
        return Surroundings(issue=services.forge.issue(state.issue), pull=pull)
    except IssueGone as gone:
        return Surroundings(pull=pull, gone=gone.where)


def digest_of(issue: Issue, check_tests: str) -> str:
    """Of everything in an issue that can be part of its spec, but for attachments: its title and
    body, and those of the author's comments that hold or name a part."""
    body, *comments = author_texts(issue)
    parts = [text for text in comments if _is_part(text, issue, check_tests)]
    return hashlib.sha256("\0".join([issue.title, body, *parts]).encode()).hexdigest()


def _is_part(text: str, issue: Issue, check_tests: str) -> bool:
    document = Document(file="", kind=DocumentKind.OTHER, text=text)
    named = references_of(text, issue.html_url)
    return bool(named.attachments or named.paths) or (
        split_document(document, check_tests) is not None
    )


def notice(state: RunState, now: Surroundings) -> RunState:
    """The state with what people are to be told, before anything that they said is heard."""
    if now.issue is not None:
        state = _of_issue(state, now.issue)
    if state.knows("closed") and not now.closed and now.gone is None:
        state = state.telling("closed", "").noting(say("note_reopened"))
    concerns = state.phase is not Phase.DONE or state.knows("conflict")
    if now.pull is not None and now.pull.state == "open" and concerns:
        state = _of_pull(state, now.pull)
    return state


def _of_issue(state: RunState, issue: Issue) -> RunState:
    state = state.telling("locked", say("fact_locked") if issue.locked else "")
    state = _with_names(state, issue)
    if not state.issue_digest or state.outcome is not None:
        return state
    edited = digest_of(issue, state.settings.check_tests) != state.issue_digest
    return state.telling("edited", say("fact_edited") if edited else "")


def _with_names(state: RunState, issue: Issue) -> RunState:
    """A renamed repository has other addresses. Another host or port is no other name."""
    before, after = (url.rpartition("/issues/")[0] for url in (state.issue_url, issue.html_url))
    name = "/".join(after.split("/")[-2:])
    if name == state.repository:
        return state
    pull = state.pull_request_url
    if before and pull.startswith(before):
        pull = after + pull.removeprefix(before)
    return state.model_copy(
        update={"issue_url": issue.html_url, "pull_request_url": pull, "repository": name}
    )


def _of_pull(state: RunState, pull: PullRequest) -> RunState:
    if pull.base != state.base_branch:
        state = state.model_copy(update={"base_branch": pull.base})
        state = state.noting(say("note_retargeted", base=code(pull.base)))
    default = pull.default_branch
    if default and state.default_branch and default != state.default_branch:
        state = state.model_copy(update={"default_branch": default})
        if default != pull.base:
            state = state.noting(
                say("note_default_branch", default=code(default), base=code(pull.base))
            )
    if pull.conflicts is None:
        return state
    text = say("fact_conflict", base=code(pull.base), branch=state.branch)
    return state.telling("conflict", text if pull.conflicts else "")


def ended(state: RunState, now: Surroundings) -> RunState:
    """The state that ends because of what happened to its issue or pull request. A run that
    somebody had go on although its issue is gone does so."""
    if state.outcome is not None:
        return state
    if now.pull is not None and now.pull.merged:
        who = now.pull.merged_by or say("somebody")
        note = say("outcome_merged", author=who, number=now.pull.number, base=now.pull.base)
        return state.ending(Outcome.MERGED, note)
    if now.gone is not None and not state.knows("gone"):
        note = say("outcome_transferred", where=now.gone) if now.gone else say("outcome_deleted")
        return state.telling("gone", note).ending(Outcome.CANCELLED, note)
    if now.closed:
        return state.telling("closed", say("fact_closed")).ending(
            Outcome.CANCELLED, say("outcome_closed")
        )
    return state


def labelled(state: RunState, now: Surroundings, services: Services) -> RunState:
    """Who takes the label away has the run pause, who puts it back has it go on. A run that was
    started without the label needs none."""
    if now.issue is None or state.outcome is not None:
        return state
    wanted = state.settings.label.casefold()
    there = wanted in {label.casefold() for label in now.issue.labels}
    was = state.labelled
    state = state.model_copy(update={"labelled": there})
    if there and state.paused is not None:
        return resumed(state, services)
    if was and not there and state.paused is None:
        return state.model_copy(update={"paused": state.wait}).asking("label", services.clock())
    return state


def resumed(state: RunState, services: Services) -> RunState:
    """The state that waits for what it waited for when it was paused."""
    wait = state.paused or Wait()
    state = state.model_copy(update={"paused": None, "wait": wait})
    return state.checking(services.clock()) if state.phase is Phase.CHECK else state


def is_overdue(state: RunState, services: Services) -> bool:
    """Whether nobody came to the gate in time."""
    wait = state.wait
    overdue = wait.until is not None and services.clock() >= wait.until
    return wait.kind == "person" and overdue
