"""The API as a Flask blueprint: authentication, limits, access, errors, ETags around handlers."""

import hashlib
import uuid
from collections.abc import Iterable
from typing import Any

from flask import Blueprint, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException

from bot.forge.embedded.auth import authenticate
from bot.forge.embedded.git.process import GitFailed
from bot.forge.embedded.limits import Quota, quota_headers
from bot.forge.embedded.rest.call import Call, Services, found, respond
from bot.forge.embedded.rest.routing import Route
from bot.forge.embedded.store.access import ANONYMOUS, Actor
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.rows import Repository

_REPOSITORY = "/repos/<owner>/<repo>"
_FREE = "/rate_limit"
_MOVED = (
    "https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api"
    "#follow-redirects"
)
API_VERSION = "2022-11-28"


def api_blueprint(services: Services, routes: Iterable[Route]) -> Blueprint:
    blueprint = Blueprint("rest", __name__)
    for route in routes:
        view = _view(services, route)
        for rule in _rules(route):
            endpoint = f"{route.method}_{rule}".translate(str.maketrans(".", "_"))
            blueprint.add_url_rule(rule, endpoint, view, methods=[route.method])
    blueprint.add_url_rule("/<path:unknown>", "unknown", _unknown, methods=_METHODS)
    blueprint.before_request(lambda: _before(services))
    blueprint.after_request(lambda response: _after(services, response))
    blueprint.register_error_handler(Refused, refusal)
    blueprint.register_error_handler(GitFailed, _git_refusal)
    blueprint.register_error_handler(HTTPException, _http_error)
    return blueprint


_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def refusal(error: Refused) -> Response:
    """GitHub's error object.
    https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
    """
    body: dict[str, Any] = {"message": error.message}
    if error.errors is not None:
        body["errors"] = error.errors
    if "Location" in error.headers:
        body["url"] = error.headers["Location"]
    body |= {"documentation_url": error.docs, "status": str(error.status)}
    response = jsonify(body)
    response.status_code = error.status
    response.headers.update(error.headers)
    return response


def _view(services: Services, route: Route) -> Any:
    def view(**arguments: Any) -> Response:
        actor: Actor = g.actor
        repository = None
        if "repository_id" in arguments:
            key = arguments.pop("repository_id")
            repository = found(services.shapes.store.tables.repositories.one(id=key))
        elif route.rule.startswith(_REPOSITORY):
            owner, name = arguments.pop("owner"), arguments.pop("repo")
            repository = services.shapes.store.repositories.find(owner, name)
            if repository is None:
                return _moved(services, actor, owner, name)
        call = Call(services, request, actor, repository)
        if repository is not None:
            _check_access(call, repository, route)
        if route.content:
            services.limiter.count_content(actor, _address())
        return respond(route.handler(call, **arguments))

    return view


def _rules(route: Route) -> list[str]:
    """Repositories are reached by name, and by id where a redirect leads."""
    if not route.rule.startswith(_REPOSITORY):
        return [route.rule]
    return [route.rule, route.rule.replace(_REPOSITORY, "/repositories/<int:repository_id>", 1)]


def _check_access(call: Call, repository: Repository, route: Route) -> None:
    if not call.allows("metadata", "read"):
        raise not_found()
    if repository.archived and route.method != "GET":
        raise Refused(403, "Repository was archived so is read-only.")
    if route.access:
        area, level = route.access.split(":")
        _require(call, area, level)


def _require(call: Call, area: str, level: str) -> None:
    """What an App lacks is told in a header.
    https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible
    """
    try:
        call.require(area, level)
    except Refused as error:
        if error.status == 403:
            needed = "read" if level == "read" else "write"
            error.headers["X-Accepted-GitHub-Permissions"] = f"{area}={needed}"
        raise


def _moved(services: Services, actor: Actor, owner: str, name: str) -> Response:
    """A renamed or transferred repository answers with a redirect to its id.
    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects
    """
    store = services.shapes.store
    repository = store.repositories.redirected(owner, name)
    if repository is None or not store.repositories.allows(actor, repository, "metadata", "read"):
        raise not_found()
    prefix = f"/repos/{owner}/{name}"
    rest = request.full_path.rstrip("?").split(prefix, 1)[1]
    url = services.shapes.api(f"repositories/{repository.id}{rest}")
    body = {
        "message": "Moved Permanently",
        "url": url,
        "documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
    }
    response = jsonify(body)
    response.status_code = 301 if request.method == "GET" else 307
    response.headers["Location"] = url
    return response


def _before(services: Services) -> None:
    g.actor = ANONYMOUS
    g.actor = authenticate(request, services.shapes.store)
    if not request.path.endswith(_FREE):
        g.quota = services.limiter.count(g.actor, _address())


def _after(services: Services, response: Response) -> Response:
    response.headers["X-GitHub-Media-Type"] = "github.v3; format=json"
    response.headers["X-GitHub-Api-Version-Selected"] = API_VERSION
    response.headers["X-GitHub-Request-Id"] = uuid.uuid4().hex.upper()
    response.headers["X-GitHub-Enterprise-Version"] = "3.19.0"
    actor: Actor = g.get("actor", ANONYMOUS)
    if actor.token is not None and actor.token.kind == "pat":
        response.headers["X-OAuth-Scopes"] = ", ".join(actor.token.scopes)
    if request.method == "GET" and response.status_code == 200 and response.is_json:
        response = _conditional(services, actor, response)
    quota: Quota = g.get("quota") or services.limiter.quota(actor, _address())
    for name, value in quota_headers(quota).items():
        response.headers.setdefault(name, value)
    return response


def _conditional(services: Services, actor: Actor, response: Response) -> Response:
    """ETag and 304; a 304 of an authorized request costs nothing.
    https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate
    """
    response.set_etag(hashlib.sha256(response.get_data()).hexdigest(), weak=True)
    private = "private" if actor.account is not None else "public"
    response.headers["Cache-Control"] = f"{private}, max-age=60, s-maxage=60"
    response.headers["Vary"] = "Accept, Authorization, Cookie, X-GitHub-OTP"
    tag = response.get_etag()[0]
    if tag is not None and request.if_none_match.contains_weak(tag):
        if actor.account is not None:
            g.quota = services.limiter.refund(actor, _address())
        response.set_data(b"")
        response.status_code = 304
        response.headers.pop("Content-Type", None)
    return response


def _unknown(unknown: str) -> Response:
    raise not_found()


def _git_refusal(error: GitFailed) -> Response:
    return refusal(Refused(422, f"Git refused: {error.message}"))


def _http_error(error: HTTPException) -> Response:
    """Addresses and methods that do not exist look alike."""
    status = 404 if error.code in (404, 405) else error.code or 500
    return refusal(Refused(status, "Not Found" if status == 404 else error.name))


def _address() -> str:
    return request.remote_addr or ""
