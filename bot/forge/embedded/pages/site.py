"""What every page needs: the store, who looks, the templates, and the headers of each answer."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Response, abort, current_app, redirect, request
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from bot.forge.embedded.pages import diff, markdown, words
from bot.forge.embedded.pages.forms import Forms
from bot.forge.embedded.store import Actor, Store
from bot.forge.embedded.store.rows import Account, Repository, ReviewComment, Row

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
REACTIONS = {"+1": "thumbs up", "-1": "thumbs down"}


@dataclass(frozen=True)
class ReactionCount:
    name: str
    count: int


class Site:
    """The app's setting PAGES_MAINTAINER is the login whose eyes and voice the pages are, for
    requests to a host name of `hosts`; without it, and for everybody else, pages show public
    repositories and take no comments."""

    def __init__(self, store: Store, hosts: frozenset[str]) -> None:
        self.store = store
        self.forms = Forms()
        self._hosts = hosts

    # Who looks

    @property
    def actor(self) -> Actor:
        """A page that a foreign host name was bound to (DNS rebinding) must not see or do what
        the maintainer may, so the name in the address counts."""
        login = current_app.config.get("PAGES_MAINTAINER")
        if login and urlsplit(f"//{request.host}").hostname in self._hosts:
            return Actor(self.store.accounts.find(login))
        return Actor()

    def repository(self, owner: str, name: str) -> Repository:
        """The repository if the reader may see it; a page not found otherwise."""
        found = self.store.repositories.find(owner, name)
        if found is None:
            moved = self.store.repositories.redirected(owner, name)
            if moved and self._visible(moved):
                rest = request.full_path.split("/", 3)[3:] if request.path.count("/") > 2 else []
                abort(redirect("/".join([f"/{moved.full_name}", *rest]).rstrip("?"), 301))
        if found is None or not self._visible(found):
            abort(404)
        return found

    def _visible(self, repository: Repository) -> bool:
        return self.store.repositories.allows(self.actor, repository, "metadata", "read")

    def may(self, repository: Repository, area: str, level: str = "write") -> bool:
        """Whether the reader may write; nobody may who is not the maintainer."""
        actor = self.actor
        return actor.account is not None and self.store.repositories.allows(
            actor, repository, area, level
        )

    # Answers

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        actor = self.actor
        token, cookie = self.forms.token(request) if actor.account else ("", None)
        html = self._environment.get_template(template).render(
            stylesheet=self._stylesheet, viewer=actor.account, form_token=token, **values
        )
        answer = Response(html.encode("utf-8", "replace"), status, headers=HEADERS)
        answer.content_type = "text/html; charset=utf-8"
        if cookie:
            self.forms.remember(answer, cookie)
        return answer

    def repository_page(
        self, template: str, repository: Repository, tab: str, **values: Any
    ) -> Response:
        issues = self.store.issues.of(repository)
        opened = [issue for issue in issues if issue.state == "open"]
        tabs = (
            ("code", "Code", "", 0),
            ("issues", "Issues", "/issues", sum(not i.is_pull for i in opened)),
            ("pulls", "Pull requests", "/pulls", sum(i.is_pull for i in opened)),
            ("actions", "Actions", "/actions", 0),
        )
        return self.page(
            template,
            repo=repository,
            repo_url=f"/{repository.full_name}",
            clone_url=f"{request.host_url}{repository.full_name}.git",
            tabs=tabs,
            tab=tab,
            **values,
        )

    def prose(self, text: str, repository: Repository, **place: str) -> Markup:
        origin = request.host_url.rstrip("/")
        where = markdown.Place(repository=repository.full_name, origin=origin, **place)
        return markdown.render(text, where)

    # Templates

    @cached_property
    def _stylesheet(self) -> str:
        digest = hashlib.sha256(asset("pages.css")).hexdigest()[:12]
        return f"/-/pages.css?{digest}"

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("bot.forge.embedded.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(_word_filters())
        environment.filters.update(
            account=self._account, reactions_of=self._reactions, prose=self._prose_filter
        )
        return environment

    def _account(self, identity: int) -> Account:
        found = self.store.tables.accounts.one(id=identity)
        return found or Account(login="ghost", created_at=self.store.now())

    def _reactions(self, row: Row, subject: str) -> list[ReactionCount]:
        counts: dict[str, int] = {}
        for reaction in self.store.issues.reactions(subject, row.id):
            counts[reaction.content] = counts.get(reaction.content, 0) + 1
        return [ReactionCount(REACTIONS.get(name, name), count) for name, count in counts.items()]

    @cached_property
    def _prose_filter(self) -> Callable[[Context, str, str], Markup]:
        @pass_context
        def prose(context: Context, text: str, anchor: str) -> Markup:
            return self.prose(text, context["repo"], anchor=anchor)

        return prose


def asset(name: str) -> bytes:
    """A file of the static folder."""
    return files("bot.forge.embedded.pages").joinpath("static", name).read_bytes()


def url_path(path: str) -> str:
    """A path inside a repository as part of an address; names need not be UTF-8."""
    return quote(path.encode("utf-8", "surrogateescape"))


def _word_filters() -> dict[str, Callable[..., Any]]:
    return {
        "ago": words.ago,
        "bytes": words.size,
        "count_of": words.count_of,
        "event_words": words.event_words,
        "excerpt": _excerpt,
        "file_anchor": words.file_anchor,
        "first_line": words.first_line,
        "first_part": words.first_part,
        "hex_color": words.hex_color,
        "in_files": _in_files,
        "later_part": words.later_part,
        "moment": words.moment,
        "outcome_tone": words.outcome_tone,
        "outcome_word": words.outcome_word,
        "rest_of_message": words.rest_of_message,
        "short_ref": words.short_ref,
        "took": words.took,
        "urlencode": url_path,
    }


def _excerpt(comment: ReviewComment) -> tuple[diff.Line, ...]:
    return diff.excerpt(comment.diff_hunk, comment.path)


def _in_files(comment: ReviewComment) -> str:
    """The comment's place on the page of changed files; relative to any page of the pull."""
    return f"files#discussion_r{comment.id}-file"
