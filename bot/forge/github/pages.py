"""Lists of the GitHub API, page after page.

https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from github.GithubObject import GithubObject
from requests.utils import parse_header_links

from bot.forge.github.transport import Transport
from bot.ports.forge import ForgeError

T = TypeVar("T", bound=GithubObject)

_PAGE = 100
_MOST_PAGES = 1000


def rows(transport: Transport, url: str, *, key: str = "", **parameters: Any) -> Iterator[Any]:
    """The items of a list, those under `key` of each page where the page is an object.

    Some lists, matching references among them, come whole whatever page is asked for, so only
    GitHub's own link leads on. Raise ForgeError where the pages have no end.
    """
    for _, row in _items(transport, url, key, parameters):
        yield row


def objects(
    kind: type[T], transport: Transport, url: str, *, key: str = "", **parameters: Any
) -> Iterator[T]:
    """As `rows`, each item as PyGithub's class for it, whose own lists follow links for ever."""
    for headers, row in _items(transport, url, key, parameters):
        yield kind(transport, dict(headers), row)


def _items(
    transport: Transport, url: str, key: str, parameters: Mapping[str, Any]
) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """The items, each with the headers of its page."""
    following: dict[str, Any] | None = {"per_page": _PAGE, **parameters}
    place = url
    for _ in range(_MOST_PAGES):
        headers, page = transport.requestJsonAndCheck("GET", place, parameters=following)
        for row in page[key] if key else page:
            yield headers, row
        place, following = _next(headers), None
        if not place:
            return
    raise ForgeError(
        "A list of the GitHub API has no end",
        where=f"GET {urlsplit(url).path}",
        hint=f"{_MOST_PAGES} pages were read; check any proxy in between",
    )


def _next(headers: Mapping[str, Any]) -> str:
    links = parse_header_links(str(headers.get("link", "")))
    return next((str(link["url"]) for link in links if link.get("rel") == "next"), "")
