"""One API request as its handler sees it: who asks, about which repository, with what body."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from flask import Request, Response, jsonify
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.forge.embedded.downloads import Links
from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.limits import RateLimiter
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.store import Store
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.errors import Refused, conflict, not_found
from bot.forge.embedded.store.rows import (
    Account,
    Comment,
    Issue,
    Json,
    Pull,
    Repository,
    ReviewComment,
    WorkflowRun,
)
from bot.forge.embedded.webhooks import Webhooks

_MOVED = (
    "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects"
)
PER_PAGE, MAX_PER_PAGE = 30, 100
T = TypeVar("T")


class Body(BaseModel):
    """Base of request bodies; what is not known is ignored, as GitHub does."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    def given(self) -> Json:
        """The fields that the caller sent, null included."""
        return {name: getattr(self, name) for name in self.model_fields_set}


B = TypeVar("B", bound=Body)


class Runner(Protocol):
    """What the API asks of the Actions runner."""

    def rerun(self, run: WorkflowRun, *, failed_only: bool) -> None: ...

    def cancel(self, run: WorkflowRun) -> None: ...


@dataclass(frozen=True)
class Services:
    shapes: Shapes
    webhooks: Webhooks
    limiter: RateLimiter
    links: Links
    runner: Runner | None


@dataclass(frozen=True)
class Answer:
    """A body with a status other than 200, or with headers of its own."""

    body: Any
    status: int = 200
    headers: dict[str, str] | None = None


@dataclass(frozen=True)
class Call:
    services: Services
    request: Request
    actor: Actor
    named: Repository | None = None

    @property
    def shapes(self) -> Shapes:
        return self.services.shapes

    @property
    def store(self) -> Store:
        return self.services.shapes.store

    @property
    def repository(self) -> Repository:
        """The repository of the address; handlers under /repos/OWNER/NAME always have one."""
        if self.named is None:
            raise not_found()
        return self.named

    @property
    def git(self) -> BareRepository:
        return self.store.git(self.repository)

    @property
    def filled_git(self) -> BareRepository:
        """The repository's git, or 409 where it holds nothing yet.
        https://docs.github.com/rest/git
        """
        if self.git.is_empty():
            raise conflict("Git Repository is empty.", "https://docs.github.com/rest/git")
        return self.git

    def body(self, model: type[B]) -> B:
        """The JSON body; 400 where it is none, 422 where it does not fit."""
        data = self.request.get_json(force=True, silent=True) if self.request.data else {}
        if data is None:
            raise Refused(400, "Problems parsing JSON")
        if not isinstance(data, dict):
            raise Refused(400, "Body should be a JSON object")
        try:
            return model.model_validate_json(self.request.data or b"{}")
        except ValidationError as error:
            raise Refused(422, f"Invalid request.\n\n{_problem(error)}") from error

    def argument(self, name: str, default: str = "") -> str:
        return self.request.args.get(name, default)

    def time(self, name: str) -> datetime | None:
        """A query argument that holds a time; None where it is missing."""
        text = self.argument(name)
        return parse_time(text, name) if text else None

    def allows(self, area: str, level: str) -> bool:
        return self.store.repositories.allows(self.actor, self.repository, area, level)

    def require(self, area: str, level: str) -> None:
        self.store.repositories.require(self.actor, self.repository, area, level)

    def require_name(self) -> None:
        """401 for anonymous callers, also where the resource is public."""
        if self.actor.account is None:
            raise Refused(401, "Requires authentication")

    def require_author_or_write(self, area: str, author_id: int) -> None:
        """Authors may change what is theirs; others need write access."""
        mine = self.actor.account is not None and self.actor.account.id == author_id
        self.require(area, "contribute" if mine else "write")

    # What addresses name

    def account(self, login: str) -> Account:
        return self.store.accounts.by_login(login)

    def issue(self, number: int) -> Issue:
        """The issue; where it was transferred to, a redirect for those who may look there."""
        row = self.store.issues.find(self.repository, number)
        if row is not None:
            return row
        moved = self.store.departures.check(self.repository, number)
        if moved is None or not self.store.repositories.allows(
            self.actor, moved[0], "metadata", "read"
        ):
            raise not_found()
        place, now = moved
        rest = self.request.full_path.rstrip("?").partition(f"/issues/{number}")[2]
        url = self.shapes.api(f"repositories/{place.id}/issues/{now}{rest}")
        raise Refused(301, "Moved Permanently", docs=_MOVED, headers={"Location": url})

    def pull(self, number: int) -> Pull:
        return found(self.store.pulls.find(self.repository, number))

    def comment(self, identity: int) -> Comment:
        return found(self.store.issues.find_comment(self.repository, identity))

    def review_comment(self, identity: int) -> ReviewComment:
        return found(self.store.reviews.find_comment(self.repository, identity))

    def commit_sha(self, revision: str) -> str:
        """The commit that a sha, branch or tag names; 422 where there is none."""
        sha = self.filled_git.resolve(revision)
        if sha is None:
            raise Refused(422, f"No commit found for SHA: {revision}")
        return sha

    # Lists

    def page(self, items: Sequence[T], shape: Callable[[T], Any], key: str | None = None) -> Answer:
        """One page of a list with its Link header; under `key` with total_count where given.
        https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
        """
        size = min(max(self._number("per_page", PER_PAGE), 1), MAX_PER_PAGE)
        page = max(self._number("page", 1), 1)
        shown = [shape(item) for item in items[(page - 1) * size : page * size]]
        last = max(-(-len(items) // size), 1)
        link = self._links(page, last)
        body: Any = shown if key is None else {"total_count": len(items), key: shown}
        return Answer(body, headers={"Link": link} if link else None)

    def _number(self, name: str, default: int) -> int:
        text = self.argument(name)
        return int(text) if text.isdecimal() else default

    def _links(self, page: int, last: int) -> str:
        targets: dict[str, int] = {}
        if page > 1:
            targets |= {"prev": page - 1, "first": 1}
        if page < last:
            targets |= {"next": page + 1, "last": last}
        return ", ".join(f'<{self._page_url(to)}>; rel="{rel}"' for rel, to in targets.items())

    def _page_url(self, page: int) -> str:
        arguments = {**self.request.args.to_dict(), "page": str(page)}
        path = self.request.path
        return f"{self.shapes.url}{path}?{urlencode(arguments)}"


def redirect(url: str) -> Answer:
    return Answer(None, 302, headers={"Location": url})


def parse_time(text: str, field: str) -> datetime:
    """An ISO 8601 time, in UTC where it names no zone; 422 for anything else."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Refused(422, f"Invalid request.\n\n{field} is not a valid time.") from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def found(row: T | None) -> T:
    """The row, or 404."""
    if row is None:
        raise not_found()
    return row


def respond(result: Any) -> Response:
    """None is 204; an Answer has its own status and headers; everything else is JSON."""
    if result is None:
        return Response(status=204)
    if isinstance(result, Response):
        return result
    if not isinstance(result, Answer):
        return jsonify(result)
    if result.body is None:
        response = Response(status=result.status)
    else:
        response = jsonify(result.body)
        response.status_code = result.status
    response.headers.update(result.headers or {})
    return response


def _problem(error: ValidationError) -> str:
    """The first problem in the words of GitHub's schema validator."""
    first = error.errors()[0]
    path = "/".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f'"{path}" wasn\'t supplied.'
    return f"For 'properties/{path}', {first['input']!r} is not valid: {first['msg']}."
