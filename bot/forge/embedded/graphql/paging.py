"""Connections: cursors, pages and the limits that GitHub sets on them."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.forge.embedded.store.errors import Refused

Page = Mapping[str, Any]
"""The paging arguments of a connection field: first, last, after, before."""

_PREFIX = "cursor:v2:"
_MOST = 100


class Edge:
    """`permission` is that of a collaborator, and empty for everything else."""

    def __init__(self, index: int, node: Any, permission: str = "") -> None:
        self.cursor = _cursor(index)
        self.node = node
        self.permission = permission


class Connection:
    """A window on `items`; `wrap` makes the node of an item when it is asked for.

    GitHub wants `first` or `last`, from 1 to 100, for nodes and edges, not for counts
    (https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api).
    """

    def __init__(
        self, items: Sequence[Any], page: Page, wrap: Callable[[Any], Any] = lambda item: item
    ) -> None:
        self._items = items
        self._page = page
        self._wrap = wrap

    @property
    def total_count(self) -> int:
        return len(self._items)

    def nodes(self) -> list[Any]:
        start, stop = self._window()
        return [self._wrap(item) for item in self._items[start:stop]]

    def edges(self) -> list[Edge]:
        start, _ = self._window()
        return [Edge(start + i, node) for i, node in enumerate(self.nodes())]

    def page_info(self) -> dict[str, Any]:
        start, stop = self._window()
        some = stop > start
        return {
            "hasNextPage": stop < len(self._items),
            "hasPreviousPage": start > 0,
            "startCursor": _cursor(start) if some else None,
            "endCursor": _cursor(stop - 1) if some else None,
        }

    def _window(self) -> tuple[int, int]:
        """First index and the one past the last."""
        first, last = self._page.get("first"), self._page.get("last")
        _check(first, last)
        after, before = self._page.get("after"), self._page.get("before")
        start = _index(after) + 1 if after else 0
        stop = min(_index(before), len(self._items)) if before else len(self._items)
        if first is not None:
            stop = min(stop, start + first)
        if last is not None:
            start = max(start, stop - last)
        return min(start, stop), stop


def _check(first: int | None, last: int | None) -> None:
    if first is None and last is None:
        raise Refused(
            422, "You must provide a `first` or `last` value to properly paginate the connection."
        )
    for name, value in (("first", first), ("last", last)):
        if value is not None and not 0 <= value <= _MOST:
            raise Refused(
                422,
                f"Requesting {value} records on the connection exceeds the `{name}` limit of "
                f"{_MOST} records.",
            )


def _cursor(index: int) -> str:
    return b64encode(f"{_PREFIX}{index}".encode()).decode()


def _index(cursor: str) -> int:
    try:
        text = b64decode(cursor, validate=True).decode()
        return int(text.removeprefix(_PREFIX))
    except ValueError:
        raise Refused(422, f"`{cursor}` does not appear to be a valid cursor.") from None
