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
        lambda row: shape.issue(call.shapes, names[row.repository_id], row) | {"score": 1.0},
    )


@routes.get("/search/repositories")
def search_repositories(call: Call) -> Answer:
    return _result(
        call,
        search.search_repositories(call.store, call.actor, _query(call)),
        lambda r: repositories.full(call.shapes, r, call.actor) | {"score": 1.0},
    )


def _query(call: Call) -> str:
    query = call.argument("q")
    if not query.strip():
        raise invalid("Search", "q", code="missing")
    return query


def _result(call: Call, rows: Sequence[T], form: Callable[[T], object]) -> Answer:
    answer = call.page(rows, form, key="items")
    return Answer(
        {"incomplete_results": False, "search_type": "lexical", **answer.body},
        headers=answer.headers,
    )
