"""Search in issues, pull requests and repositories.

https://docs.github.com/rest/search/search
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from bot.forge.embedded.rest.call import Answer, Call
from bot.forge.embedded.rest.issues import order
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import issues as shape
from bot.forge.embedded.shapes import repositories
from bot.forge.embedded.store import search
from bot.forge.embedded.store.errors import invalid
from bot.forge.embedded.store.rows import Json

routes = Routes()
T = TypeVar("T")


@routes.get("/search/issues")
def search_issues(call: Call) -> Answer:
    rows = search.search_issues(call.store, call.actor, _query(call))
    if call.argument("sort"):
        rows = order(call, rows)
    names = {r.id: r for r in call.store.repositories.visible_to(call.actor)}
    return _result(
        call,
        rows,
        lambda row: _found(shape.issue(call.shapes, names[row.repository_id], row)),
        search_type="lexical",
    )


@routes.get("/search/repositories")
def search_repositories(call: Call) -> Answer:
    return _result(
        call,
        search.search_repositories(call.store, call.actor, _query(call)),
        lambda r: repositories.found(call.shapes, r, call.actor),
    )


def _found(issue: Json) -> Json:
    """An issue as search shows it: with a score, and without who closed it."""
    return {k: v for k, v in issue.items() if k != "closed_by"} | {"score": 1.0}


def _query(call: Call) -> str:
    query = call.argument("q")
    if not query.strip():
        raise invalid("Search", "q", code="missing")
    return query


def _result(call: Call, rows: Sequence[T], form: Callable[[T], object], **more: str) -> Answer:
    answer = call.page(rows, form, key="items")
    return Answer({"incomplete_results": False, **more, **answer.body}, headers=answer.headers)
