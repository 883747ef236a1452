"""Search in issues, pull requests and repositories: the qualifiers that bots use.

https://docs.github.com/rest/search/search
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.forge.embedded.rest.call import Answer, Call
from bot.forge.embedded.rest.issues import order
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import issues as shape
from bot.forge.embedded.shapes import repositories
from bot.forge.embedded.store.errors import invalid
from bot.forge.embedded.store.rows import Issue, Repository

routes = Routes()
T = TypeVar("T")
_TERM = re.compile(r'(-?)(?:([A-Za-z]+):)?("[^"]*"|[^\s"]+)')
_IN = {"title", "body", "comments"}


@routes.get("/search/issues")
def search_issues(call: Call) -> Answer:
    words, qualifiers = _parse(call)
    rows = [
        issue
        for repository in _repositories(call, qualifiers)
        for issue in call.store.issues.of(repository)
        if _matches(call, issue, qualifiers) and _contains(call, issue, words, qualifiers)
    ]
    names = {r.id: r for r in call.store.repositories.visible_to(call.actor)}
    return _result(
        call,
        order(call, rows),
        lambda row: shape.issue(call.shapes, names[row.repository_id], row) | {"score": 1.0},
    )


@routes.get("/search/repositories")
def search_repositories(call: Call) -> Answer:
    words, qualifiers = _parse(call)
    rows = [
        r
        for r in _repositories(call, qualifiers)
        if all(w in f"{r.full_name} {r.description or ''}".lower() for w in words)
    ]
    return _result(
        call, rows, lambda r: repositories.full(call.shapes, r, call.actor) | {"score": 1.0}
    )


Qualifiers = list[tuple[str, str, bool]]


def _parse(call: Call) -> tuple[list[str], Qualifiers]:
    """Words, and (name, value, negated) qualifiers."""
    query = call.argument("q")
    if not query.strip():
        raise invalid("Search", "q", code="missing")
    words, qualifiers = [], []
    for negated, name, value in _TERM.findall(query):
        text = value.strip('"').lower()
        if name:
            qualifiers.append((name.lower(), text, negated == "-"))
        elif text:
            words.append(text)
    return words, qualifiers


def _repositories(call: Call, qualifiers: Qualifiers) -> list[Repository]:
    visible = call.store.repositories.visible_to(call.actor)
    wanted = {value for name, value, no in qualifiers if name == "repo" and not no}
    owners = {value for name, value, no in qualifiers if name in ("user", "org") and not no}
    return [
        r
        for r in visible
        if (not wanted or r.full_name.lower() in wanted)
        and (not owners or r.owner.lower() in owners)
    ]


def _matches(call: Call, issue: Issue, qualifiers: Qualifiers) -> bool:
    return all(_test(call, issue, name, value) != no for name, value, no in qualifiers)


def _test(call: Call, issue: Issue, name: str, value: str) -> bool:
    """Whether one qualifier holds; those that are not known hold always."""
    store = call.store
    pull = store.pulls.of_issue(issue)
    states = {
        "open": issue.state == "open",
        "closed": issue.state == "closed",
        "issue": not issue.is_pull,
        "pr": issue.is_pull,
        "merged": pull is not None and pull.merged_at is not None,
        "unmerged": pull is not None and pull.merged_at is None,
        "draft": pull is not None and pull.draft,
        "locked": issue.locked,
    }
    if name in ("is", "state", "type"):
        return states.get(value, True)
    if name == "author":
        login = value.removeprefix("app/") + ("[bot]" if value.startswith("app/") else "")
        return store.accounts.get(issue.author_id).login.lower() == login
    if name == "label":
        return value in {label.name.lower() for label in store.issues.label_rows(issue)}
    if name == "assignee":
        return value in {store.accounts.get(i).login.lower() for i in issue.assignee_ids}
    if name in ("head", "base"):
        ref = None if pull is None else (pull.head_ref if name == "head" else pull.base_ref)
        return ref is not None and ref.lower() == value
    if name == "sha":
        return pull is not None and pull.head_sha.startswith(value)
    return True


def _contains(call: Call, issue: Issue, words: list[str], qualifiers: Qualifiers) -> bool:
    places = {v for name, value, _ in qualifiers if name == "in" for v in value.split(",")} or _IN
    text = []
    if "title" in places:
        text.append(issue.title)
    if "body" in places:
        text.append(issue.body or "")
    if "comments" in places:
        text.extend(comment.body for comment in call.store.issues.comments(issue))
    joined = "\n".join(text).lower()
    return all(word in joined for word in words)


def _result(call: Call, rows: Sequence[T], form: Callable[[T], object]) -> Answer:
    answer = call.page(rows, form, key="items")
    return Answer(
        {"incomplete_results": False, "search_type": "lexical", **answer.body},
        headers=answer.headers,
    )
