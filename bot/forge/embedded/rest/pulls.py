"""Pull requests.

https://docs.github.com/rest/pulls/pulls
"""

from flask import Response

from bot.forge.embedded.rest.call import Answer, Body, Call
from bot.forge.embedded.rest.issues import order
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import git as git_shape
from bot.forge.embedded.shapes import people
from bot.forge.embedded.shapes import pulls as shape
from bot.forge.embedded.shapes.repositories import api_url
from bot.forge.embedded.store import merging
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.rows import Json

routes = Routes()
_R = "/repos/<owner>/<repo>"
_P = f"{_R}/pulls/<int:number>"


class NewPull(Body):
    head: str
    base: str
    title: str | None = None
    body: str | None = None
    draft: bool = False
    maintainer_can_modify: bool = False
    issue: int | None = None


class PullChange(Body):
    title: str | None = None
    body: str | None = None
    state: str | None = None
    base: str | None = None
    maintainer_can_modify: bool | None = None


class MergeRequest(Body):
    commit_title: str | None = None
    commit_message: str | None = None
    sha: str | None = None
    merge_method: str = "merge"


class Reviewers(Body):
    reviewers: tuple[str, ...] = ()
    team_reviewers: tuple[str, ...] = ()


class UpdateBranch(Body):
    expected_head_sha: str | None = None


@routes.get(f"{_R}/pulls", "pull_requests:read")
def list_pulls(call: Call) -> Answer:
    state, base, head = (call.argument(k) for k in ("state", "base", "head"))
    rows = [
        row
        for row in call.store.pulls.of(call.repository)
        if (state or "open") in ("all", call.store.pulls.issue(row).state)
        and base in ("", row.base_ref)
        and head.rpartition(":")[2] in ("", row.head_ref)
    ]
    issues = {row.issue_id: row for row in rows}
    sorted_issues = order(call, [call.store.pulls.issue(row) for row in rows])
    return call.page(
        [issues[issue.id] for issue in sorted_issues],
        lambda row: shape.short(call.shapes, call.repository, row),
    )


@routes.post(f"{_R}/pulls", "pull_requests:contribute", content=True)
def create(call: Call) -> Answer:
    body = call.body(NewPull)
    if body.title is None:
        raise Refused(422, 'Invalid request.\n\n"title" wasn\'t supplied.')
    row = call.store.pulls.create(
        call.repository,
        call.actor,
        title=body.title,
        head=body.head,
        base=body.base,
        body=body.body,
        draft=body.draft,
        maintainer_can_modify=body.maintainer_can_modify,
    )
    return Answer(shape.full(call.shapes, call.repository, row), 201)


@routes.get(_P, "pull_requests:read")
def get(call: Call, number: int) -> Json | Response:
    row = call.pull(number)
    accept = call.request.headers.get("Accept", "")
    base = call.store.pulls.merge_base(call.repository, row)
    if accept.endswith(".diff"):
        return Response(call.git.diff(base, row.head_sha), mimetype=accept)
    if accept.endswith(".patch") and base is not None:
        return Response(call.git.format_patch(base, row.head_sha), mimetype=accept)
    return shape.full(call.shapes, call.repository, row)


@routes.patch(_P)
def edit(call: Call, number: int) -> Json:
    row = call.pull(number)
    call.require_author_or_write("pull_requests", call.store.pulls.issue(row).author_id)
    given = call.body(PullChange).given()
    if "base" in given:
        given["base_ref"] = given.pop("base")
    changes = {k: v for k, v in given.items() if v is not None or k == "body"}
    row = call.store.pulls.edit(call.repository, row, call.actor, **changes)
    return shape.full(call.shapes, call.repository, row)


@routes.get(f"{_P}/files", "pull_requests:read")
def files(call: Call, number: int) -> Answer:
    row = call.pull(number)
    changes = call.store.pulls.files(call.repository, row)
    return call.page(
        changes, lambda c: git_shape.file_change(call.shapes, call.repository, c, row.head_sha)
    )


@routes.get(f"{_P}/commits", "pull_requests:read")
def commits(call: Call, number: int) -> Answer:
    row = call.pull(number)
    base = call.store.pulls.merge_base(call.repository, row)
    rows = call.git.log(row.head_sha, exclude=base)[::-1]
    return call.page(rows, lambda c: git_shape.commit(call.shapes, call.repository, c))


@routes.get(f"{_P}/merge", "pull_requests:read")
def is_merged(call: Call, number: int) -> None:
    if call.pull(number).merged_at is None:
        raise not_found()


@routes.put(f"{_P}/merge", "contents:write", content=True)
def merge(call: Call, number: int) -> Json:
    body = call.body(MergeRequest)
    row = call.pull(number)
    update = merging.merge(
        call.store,
        call.repository,
        row,
        call.actor,
        method=body.merge_method,
        title=body.commit_title,
        message=body.commit_message,
        expected_head=body.sha,
    )
    return {"sha": update.new, "merged": True, "message": "Pull Request successfully merged"}


@routes.put(f"{_P}/update-branch", "contents:write")
def update_branch(call: Call, number: int) -> Answer:
    """Merge the base branch into the head branch."""
    expected = call.body(UpdateBranch).expected_head_sha
    row = call.pull(number)
    merging.update_branch(call.store, call.repository, row, call.actor, expected_head=expected)
    url = api_url(call.shapes, call.repository, f"/pulls/{number}")
    return Answer({"message": "Updating pull request branch.", "url": url}, 202)


@routes.get(f"{_P}/requested_reviewers", "pull_requests:read")
def reviewers(call: Call, number: int) -> Json:
    ids = call.pull(number).requested_reviewer_ids
    users = [people.user(call.shapes, call.store.accounts.get(i)) for i in ids]
    return {"users": users, "teams": []}


@routes.post(f"{_P}/requested_reviewers", "pull_requests:write")
def request_reviewers(call: Call, number: int) -> Answer:
    accounts = tuple(call.account(login) for login in call.body(Reviewers).reviewers)
    row = call.store.pulls.request_reviewers(
        call.repository, call.pull(number), call.actor, accounts
    )
    return Answer(shape.short(call.shapes, call.repository, row), 201)


@routes.delete(f"{_P}/requested_reviewers", "pull_requests:write")
def remove_reviewers(call: Call, number: int) -> Json:
    accounts = tuple(call.account(login) for login in call.body(Reviewers).reviewers)
    row = call.store.pulls.remove_reviewers(call.pull(number), accounts)
    return shape.short(call.shapes, call.repository, row)
