"""Check runs and check suites.

https://docs.github.com/rest/checks
"""

from typing import Any

from bot.forge.embedded.rest.call import Answer, Body, Call, found, parse_time
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import checks as shape
from bot.forge.embedded.store.errors import Refused
from bot.forge.embedded.store.rows import CheckRun, CheckSuite, Json

routes = Routes()
_R = "/repos/<owner>/<repo>"
_RUN = f"{_R}/check-runs/<int:identity>"
_SUITE = f"{_R}/check-suites/<int:identity>"
_APP_ONLY = "You must authenticate via a GitHub App."


class Output(Body):
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: tuple[dict[str, Any], ...] = ()


class RunChange(Body):
    name: str | None = None
    details_url: str | None = None
    external_id: str | None = None
    status: str | None = None
    started_at: str | None = None
    conclusion: str | None = None
    completed_at: str | None = None
    output: Output | None = None
    actions: tuple[dict[str, Any], ...] | None = None


class NewRun(RunChange):
    name: str
    head_sha: str


class NewSuite(Body):
    head_sha: str


@routes.post(f"{_R}/check-runs")
def create(call: Call) -> Answer:
    """Only Apps may; a person's token gets 403."""
    _require_app(call)
    body = call.body(NewRun)
    row = call.store.checks.create_run(
        call.repository, call.actor, name=body.name, sha=body.head_sha, **_columns(body)
    )
    return Answer(shape.run(call.shapes, call.repository, row), 201)


@routes.get(_RUN, "checks:read")
def get(call: Call, identity: int) -> Json:
    return shape.run(call.shapes, call.repository, _run(call, identity))


@routes.patch(_RUN)
def update(call: Call, identity: int) -> Json:
    _require_app(call)
    body = call.body(RunChange)
    columns = _columns(body)
    if body.name is not None:
        columns["name"] = body.name
    row = call.store.checks.update_run(call.repository, _run(call, identity), call.actor, **columns)
    return shape.run(call.shapes, call.repository, row)


@routes.get(f"{_RUN}/annotations", "checks:read")
def annotations(call: Call, identity: int) -> Answer:
    row = _run(call, identity)
    return call.page(
        row.annotations, lambda given: shape.annotation(call.shapes, call.repository, row, given)
    )


@routes.post(f"{_RUN}/rerequest", "checks:write")
def rerequest(call: Call, identity: int) -> Answer:
    call.store.checks.request_again(call.repository, _run(call, identity), call.actor)
    return Answer({}, 201)


@routes.post(f"{_R}/check-suites")
def create_suite(call: Call) -> Answer:
    _require_app(call)
    sha = call.body(NewSuite).head_sha
    app = found(call.actor.app)
    existing = [s for s in call.store.checks.suites(call.repository, sha) if s.app_id == app.id]
    if existing:
        return Answer(shape.suite(call.shapes, call.repository, existing[-1]), 200)
    if call.git.kind(sha) != "commit":
        raise Refused(422, f"No commit found for SHA: {sha}")
    row = call.store.checks.create_suite(call.repository, app, sha, None, call.actor)
    return Answer(shape.suite(call.shapes, call.repository, row), 201)


@routes.get(_SUITE, "checks:read")
def get_suite(call: Call, identity: int) -> Json:
    return shape.suite(call.shapes, call.repository, _suite(call, identity))


@routes.get(f"{_SUITE}/check-runs", "checks:read")
def suite_runs(call: Call, identity: int) -> Answer:
    rows = call.store.checks.suite_runs(_suite(call, identity))
    return call.page(
        rows, lambda row: shape.run(call.shapes, call.repository, row), key="check_runs"
    )


def _require_app(call: Call) -> None:
    """https://docs.github.com/rest/checks/runs#create-a-check-run"""
    if not call.actor.is_integration:
        docs = "https://docs.github.com/rest/checks/runs#create-a-check-run"
        raise Refused(403, _APP_ONLY, docs=docs)
    call.require("checks", "write")


def _columns(body: RunChange) -> dict[str, Any]:
    """The columns that a request sets."""
    given = {
        k: v
        for k, v in body.given().items()
        if v is not None and k not in ("name", "head_sha", "output")
    }
    for name in ("started_at", "completed_at"):
        if name in given:
            given[name] = parse_time(given[name], name)
    if body.output is not None:
        given["output"] = body.output.model_dump(exclude={"annotations"}, exclude_unset=True)
        if body.output.annotations:
            given["annotations"] = body.output.annotations
    return given


def _run(call: Call, identity: int) -> CheckRun:
    return found(call.store.checks.run(call.repository, identity))


def _suite(call: Call, identity: int) -> CheckSuite:
    row = call.store.tables.check_suites.one(repository_id=call.repository.id, id=identity)
    return found(row)
