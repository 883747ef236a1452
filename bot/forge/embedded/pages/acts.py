"""What the maintainer can do from a page: open an issue, comment, close, merge."""

from collections.abc import Callable

from flask import abort, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.forge.embedded.pages.site import Site
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import Issue, Repository


class Acts:
    """Every act is a posted form, refused unless it comes from a page of this server."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._store = site.store

    def new_issue(self, owner: str, name: str) -> AnyResponse:
        """The form for an issue."""
        repository = self._site.repository(owner, name)
        if self._site.actor.account is None:
            abort(404)
        choices = self._store.repositories.labels(repository)
        return self._site.repository_page("new_issue.html", repository, "issues", choices=choices)

    def open_issue(self, owner: str, name: str) -> AnyResponse:
        repository = self._site.repository(owner, name)

        def act() -> str:
            issue = self._store.issues.create(
                repository,
                self._site.actor,
                request.form.get("title", ""),
                request.form.get("body", ""),
                labels=tuple(request.form.getlist("label")),
            )
            return self._address(repository, issue)

        return self._do(self._site.may(repository, "issues", "read"), act)

    def comment(self, owner: str, name: str, number: int) -> AnyResponse:
        repository = self._site.repository(owner, name)
        issue = self._issue(repository, number)

        def act() -> str:
            body = request.form.get("body", "")
            comment = self._store.issues.comment(repository, issue, self._site.actor, body)
            return f"{self._address(repository, issue)}#issuecomment-{comment.id}"

        return self._do(self._site.may(repository, "issues", "read"), act)

    def set_state(self, owner: str, name: str, number: int) -> AnyResponse:
        """Close, or open again, an issue or pull request."""
        repository = self._site.repository(owner, name)
        issue = self._issue(repository, number)

        def act() -> str:
            state = request.form.get("state", "")
            pull = self._store.pulls.of_issue(issue) if issue.is_pull else None
            if pull:
                self._store.pulls.edit(repository, pull, self._site.actor, state=state)
            else:
                self._store.issues.edit(repository, issue, self._site.actor, state=state)
            return self._address(repository, issue)

        return self._do(self._site.may(repository, "issues"), act)

    def merge(self, owner: str, name: str, number: int) -> AnyResponse:
        repository = self._site.repository(owner, name)
        issue = self._issue(repository, number)
        pull = self._store.pulls.of_issue(issue)
        if pull is None:
            abort(404)

        def act() -> str:
            actor = self._site.actor
            update = self._store.pulls.merge(repository, pull, actor)
            self._store.record_push(repository, actor, (update,))
            return self._address(repository, issue)

        return self._do(self._site.may(repository, "contents"), act)

    def _do(self, allowed: bool, act: Callable[[], str]) -> AnyResponse:
        """Act and show the page that it leads to."""
        if not (allowed and self._site.forms.accepts(request)):
            return self._site.page(
                "error.html",
                403,
                title="This form is not valid",
                message="Go back, reload the page and send it again.",
            )
        try:
            return redirect(act(), 303)
        except Refused as refused:
            title = "That was refused"
            return self._site.page("error.html", refused.status, title=title, message=refused.text)

    def _issue(self, repository: Repository, number: int) -> Issue:
        found = self._store.issues.find(repository, number)
        if found is None:
            abort(404)
        return found

    def _address(self, repository: Repository, issue: Issue) -> str:
        kind = "pull" if issue.is_pull else "issues"
        return f"/{repository.full_name}/{kind}/{issue.number}"
