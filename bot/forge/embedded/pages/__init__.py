"""The pages of the embedded GitHub that a person reads in a browser."""

from flask import Blueprint, Response, request
from werkzeug.exceptions import HTTPException, NotFound

from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.pages.acts import Acts
from bot.forge.embedded.pages.apps import AppPages
from bot.forge.embedded.pages.files import FilePages
from bot.forge.embedded.pages.gather import Gather
from bot.forge.embedded.pages.runs import RunPages
from bot.forge.embedded.pages.site import Site, asset
from bot.forge.embedded.pages.talk import TalkPages
from bot.forge.embedded.shapes.base import Shapes
from bot.forge.embedded.webhooks import Webhooks

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_TITLES = {404: "There is no such page", 410: "It has expired", 405: "That cannot be done here"}


def blueprint(shapes: Shapes, webhooks: Webhooks, *, hosts: frozenset[str] = LOOPBACK) -> Blueprint:
    """A blueprint to be registered at the root.

    The app's setting PAGES_MAINTAINER is the login that the pages look with and comment as; where
    it is missing they are read-only and public. It only counts for requests to one of `hosts`.
    """
    site = Site(shapes.store, hosts)
    made = Blueprint("pages", __name__)
    _add_routes(made, site)
    _add_app_routes(made, AppPages(site, webhooks))

    @made.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> Response:
        return error_page(site, error)

    @made.errorhandler(GitFailed)
    def no_such_object(error: GitFailed) -> Response:
        return error_page(site, None)

    @made.app_errorhandler(404)
    def nowhere(error: NotFound) -> Response | NotFound:
        """Addresses that nobody serves; the API and git answer for themselves."""
        other = request.path.startswith("/api/") or ".git/" in request.path
        return error if other else error_page(site, error)

    return made


def error_page(site: Site, error: HTTPException | None) -> Response:
    """An error for people; redirects pass through as they are."""
    if error is not None and error.response is not None:
        return error.response  # type: ignore[return-value]
    status = error.code if error and error.code else 404
    title = _TITLES.get(status, "That did not work")
    message = "Perhaps it was renamed, deleted, or you may not see it."
    if status not in _TITLES and error is not None:
        message = error.description or ""
    return site.page("error.html", status, title=title, message=message)


def _add_routes(made: Blueprint, site: Site) -> None:
    gather = Gather(site.store)
    files, talk, runs = FilePages(site, gather), TalkPages(site, gather), RunPages(site, gather)
    acts = Acts(site)
    repo = "/<owner>/<name>"
    add = made.add_url_rule
    add("/-/<any('pages.css', 'icon.svg'):file>", view_func=_static)
    add("/", view_func=files.home)
    add("/<owner>", view_func=files.owner)
    add(repo, view_func=files.repository)
    add(f"{repo}/tree/<path:rest>", view_func=files.tree)
    add(f"{repo}/blob/<path:rest>", view_func=files.blob)
    add(f"{repo}/raw/<path:rest>", view_func=files.raw)
    add(f"{repo}/commits", view_func=files.commits, endpoint="commits_default")
    add(f"{repo}/commits/<path:rest>", view_func=files.commits)
    add(f"{repo}/commit/<sha>", view_func=files.commit)
    add(f"{repo}/issues", view_func=talk.issues)
    add(f"{repo}/issues/<int:number>", view_func=talk.issue)
    add(f"{repo}/issues/new", view_func=acts.new_issue)
    add(f"{repo}/issues", view_func=acts.open_issue, methods=["POST"])
    add(f"{repo}/issues/<int:number>/comments", view_func=acts.comment, methods=["POST"])
    add(f"{repo}/issues/<int:number>/state", view_func=acts.set_state, methods=["POST"])
    add(f"{repo}/pull/<int:number>/merge", view_func=acts.merge, methods=["POST"])
    add(f"{repo}/pulls", view_func=talk.pulls)
    add(f"{repo}/pull/<int:number>", view_func=talk.pull)
    add(f"{repo}/pull/<int:number>/commits", view_func=talk.pull_commits)
    add(f"{repo}/pull/<int:number>/files", view_func=talk.pull_files)
    add(f"{repo}/pull/<int:number>/checks", view_func=talk.pull_checks)
    add(f"{repo}/actions", view_func=runs.runs)
    add(f"{repo}/actions/runs/<int:run_id>", view_func=runs.run)
    add(f"{repo}/actions/runs/<int:run_id>/job/<int:job_id>", view_func=runs.run, endpoint="job")
    add(f"{repo}/actions/runs/<int:run_id>/artifacts/<int:artifact_id>", view_func=runs.artifact)
    add(f"{repo}/runs/<int:check_id>", view_func=runs.check)


def _add_app_routes(made: Blueprint, apps: AppPages) -> None:
    """The addresses are GitHub's, but for those that only its own forms post to."""
    add = made.add_url_rule
    organization = "/organizations/<login>/settings/apps"
    add("/settings/apps/new", view_func=apps.new, methods=["POST"])
    add(f"{organization}/new", "new_of", apps.new, methods=["POST"])
    add("/settings/apps", view_func=apps.create, methods=["POST"])
    add(organization, "create_of", apps.create, methods=["POST"])
    add("/apps/<slug>", view_func=apps.app)
    add("/apps/<slug>/installations/new", view_func=apps.choose)
    add("/apps/<slug>/installations", view_func=apps.install, methods=["POST"])


def _static(file: str) -> Response:
    kind = "text/css; charset=utf-8" if file.endswith(".css") else "image/svg+xml"
    headers = {"Cache-Control": "public, max-age=31536000", "X-Content-Type-Options": "nosniff"}
    return Response(asset(file), headers=headers, content_type=kind)
