"""Branches, their protection, tags and merging of branches.

https://docs.github.com/rest/branches
"""

from typing import Any

from bot.forge.embedded.git.objects import RefUpdate
from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.moves import move_ref
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import git as git_shape
from bot.forge.embedded.shapes import repositories as shape
from bot.forge.embedded.shapes.base import node_id
from bot.forge.embedded.shapes.repositories import api_url
from bot.forge.embedded.store.errors import Refused, conflict
from bot.forge.embedded.store.pulls import signature
from bot.forge.embedded.store.rows import Json, Protection

routes = Routes()
_R = "/repos/<owner>/<repo>"
_B = f"{_R}/branches/<path:branch>"


class ProtectionRequest(Body):
    """Kept as it comes; every one of the four required parts may be null."""

    required_status_checks: dict[str, Any] | None
    enforce_admins: bool | None
    required_pull_request_reviews: dict[str, Any] | None
    restrictions: dict[str, Any] | None
    required_linear_history: bool | None = None
    allow_force_pushes: bool | None = None
    allow_deletions: bool | None = None
    block_creations: bool | None = None
    required_conversation_resolution: bool | None = None
    lock_branch: bool | None = None
    allow_fork_syncing: bool | None = None


class NewName(Body):
    new_name: str


class Merge(Body):
    base: str
    head: str
    commit_message: str | None = None


@routes.get(f"{_R}/branches", "contents:read")
def branches(call: Call) -> Answer:
    heads = call.git.refs("refs/heads/")
    wanted = call.argument("protected")
    rows = [
        (name.removeprefix("refs/heads/"), sha)
        for name, sha in heads.items()
        if not wanted or _is_protected(call, name) == (wanted == "true")
    ]
    return call.page(
        rows,
        lambda row: shape.short_branch(
            call.shapes,
            call.repository,
            row[0],
            {"sha": row[1], "url": api_url(call.shapes, call.repository, f"/commits/{row[1]}")},
        ),
    )


@routes.get(f"{_B}/protection", "administration:admin")
def protection(call: Call, branch: str) -> Json:
    return shape.protection(call.shapes, call.repository, _protection(call, branch))


@routes.put(f"{_B}/protection", "administration:admin")
def protect(call: Call, branch: str) -> Json:
    _tip(call, branch)
    settings = call.body(ProtectionRequest).given()
    row = call.store.repositories.protect(call.repository, branch, settings)
    return shape.protection(call.shapes, call.repository, row)


@routes.delete(f"{_B}/protection", "administration:admin")
def unprotect(call: Call, branch: str) -> None:
    _protection(call, branch)
    call.store.repositories.unprotect(call.repository, branch)


@routes.post(f"{_B}/rename", "administration:admin")
def rename(call: Call, branch: str) -> Answer:
    old, new = _tip(call, branch), call.body(NewName).new_name
    ref = f"refs/heads/{new}"
    if not call.git.valid_ref(ref) or ref in call.git.refs("refs/heads/"):
        raise Refused(422, "Validation Failed")
    move_ref(call, RefUpdate(ref, "0" * 40, old))
    if call.repository.default_branch == branch:
        call.store.repositories.edit(call.repository, call.actor, default_branch=new)
    move_ref(call, RefUpdate(f"refs/heads/{branch}", old, "0" * 40))
    return Answer(_full(call, new), 201)


@routes.get(_B, "contents:read")
def get(call: Call, branch: str) -> Json:
    return _full(call, branch)


@routes.get(f"{_R}/tags", "contents:read")
def tags(call: Call) -> Answer:
    names = [ref.removeprefix("refs/tags/") for ref in call.git.refs("refs/tags/")][::-1]
    return call.page(names, lambda name: _tag(call, name))


@routes.post(f"{_R}/merges", "contents:write")
def merge(call: Call) -> Answer:
    """https://docs.github.com/rest/branches/branches#merge-a-branch"""
    body = call.body(Merge)
    base = _tip(call, body.base, status=404, message="Base does not exist")
    head = call.filled_git.resolve(body.head)
    if head is None:
        raise Refused(404, "Head does not exist")
    if call.git.is_ancestor(head, base):
        return Answer(None, 204)
    tree = call.git.merge_tree(base, head)
    if tree is None:
        raise conflict("Merge conflict")
    person = signature(call.actor.user, call.store.core)
    message = body.commit_message or f"Merge {body.head} into {body.base}"
    sha = call.git.write_commit(tree, [base, head], message, person, person)
    move_ref(call, RefUpdate(f"refs/heads/{body.base}", base, sha))
    return Answer(git_shape.commit(call.shapes, call.repository, call.git.commit(sha)), 201)


def _full(call: Call, branch: str) -> Json:
    commit = call.git.commit(_tip(call, branch))
    described = git_shape.commit(call.shapes, call.repository, commit)
    return shape.branch(call.shapes, call.repository, branch, described)


def _tag(call: Call, name: str) -> Json:
    sha = call.git.resolve(f"refs/tags/{name}") or ""
    archive = f"/zipball/refs/tags/{name}"
    return {
        "name": name,
        "commit": {"sha": sha, "url": api_url(call.shapes, call.repository, f"/commits/{sha}")},
        "zipball_url": api_url(call.shapes, call.repository, archive),
        "tarball_url": api_url(call.shapes, call.repository, archive.replace("zip", "tar")),
        "node_id": node_id("Ref", f"refs/tags/{name}"),
    }


def _tip(call: Call, branch: str, *, status: int = 404, message: str = "Branch not found") -> str:
    sha = call.git.refs("refs/heads/").get(f"refs/heads/{branch}")
    if sha is None:
        docs = "https://docs.github.com/rest/branches/branches#get-a-branch"
        raise Refused(status, message, docs=docs)
    return sha


def _protection(call: Call, branch: str) -> Protection:
    _tip(call, branch)
    row = call.store.repositories.protection(call.repository, branch)
    if row is None:
        raise Refused(404, "Branch not protected")
    return found(row)


def _is_protected(call: Call, ref: str) -> bool:
    name = ref.removeprefix("refs/heads/")
    return call.store.repositories.protection(call.repository, name) is not None
