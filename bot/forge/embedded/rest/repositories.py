"""Repositories, collaborators and labels.

https://docs.github.com/rest/repos/repos
"""

from typing import Any

from bot.forge.embedded.git.objects import ZERO, RefUpdate, TreeChange
from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import people
from bot.forge.embedded.shapes import repositories as shape
from bot.forge.embedded.store.errors import Refused, forbidden, not_found
from bot.forge.embedded.store.pulls import signature
from bot.forge.embedded.store.rows import Account, Json, Label, Repository

routes = Routes()
_R = "/repos/<owner>/<repo>"
_NOT_NULL = ("has_issues", "private", "default_branch", "archived", "name")


class NewRepository(Body):
    name: str
    description: str | None = None
    homepage: str | None = None
    private: bool | None = None
    visibility: str | None = None
    has_issues: bool | None = None
    auto_init: bool | None = None
    allow_merge_commit: bool | None = None
    allow_squash_merge: bool | None = None
    allow_rebase_merge: bool | None = None
    delete_branch_on_merge: bool | None = None


class RepositoryChange(NewRepository):
    name: str | None = None  # type: ignore[assignment]
    default_branch: str | None = None
    archived: bool | None = None


class Transfer(Body):
    new_owner: str
    new_name: str | None = None


class Topics(Body):
    names: tuple[str, ...]


class Permission(Body):
    permission: str = "push"


class NewLabel(Body):
    name: str
    color: str | None = None
    description: str | None = None


class LabelChange(Body):
    new_name: str | None = None
    color: str | None = None
    description: str | None = None


@routes.post("/user/repos", content=True)
def create_for_user(call: Call) -> Answer:
    account = call.actor.user
    if call.actor.is_integration:
        raise forbidden()
    return _create(call, account)


@routes.post("/orgs/<login>/repos", content=True)
def create_for_organization(call: Call, login: str) -> Answer:
    owner = call.account(login)
    actor = call.actor
    installed = actor.installation is not None and actor.installation.account_id == owner.id
    may = installed and actor.granted("administration", "write")
    if not may and not call.store.accounts.administers(actor.user, owner):
        raise forbidden(
            "You need admin access to the organization before adding a repository to it."
        )
    return _create(call, owner)


@routes.get(_R)
def get(call: Call) -> Json:
    return shape.alone(call.shapes, call.repository, call.actor)


@routes.patch(_R, "administration:admin")
def edit(call: Call) -> Json:
    body = call.body(RepositoryChange)
    row = call.store.repositories.edit(call.repository, call.actor, **_columns(body))
    return shape.alone(call.shapes, row, call.actor)


@routes.delete(_R, "administration:admin")
def delete(call: Call) -> None:
    token = call.actor.token
    if token is not None and token.kind == "pat" and "delete_repo" not in token.scopes:
        raise forbidden("Must have admin rights to Repository.")
    call.store.repositories.delete(call.repository, call.actor)


@routes.post(f"{_R}/transfer", "administration:admin")
def transfer(call: Call) -> Answer:
    owner = call.account(call.body(Transfer).new_owner)
    row = call.store.repositories.transfer(call.repository, owner, call.actor)
    return Answer(shape.minimal(call.shapes, row, call.actor), 202)


@routes.get(f"{_R}/topics")
def topics(call: Call) -> Json:
    return {"names": list(call.repository.topics)}


@routes.put(f"{_R}/topics", "administration:admin")
def set_topics(call: Call) -> Json:
    names = call.body(Topics).names
    call.store.repositories.edit(call.repository, call.actor, topics=names)
    return {"names": list(names)}


@routes.get(f"{_R}/languages")
def languages(call: Call) -> Json:
    return {}


# Collaborators: https://docs.github.com/rest/collaborators/collaborators


@routes.get(f"{_R}/collaborators", "metadata:contribute")
def collaborators(call: Call) -> Answer:
    rows = call.store.repositories.collaborators(call.repository)
    return call.page(rows, lambda row: shape.collaborator(call.shapes, call.repository, row))


@routes.get(f"{_R}/collaborators/<login>")
def is_collaborator(call: Call, login: str) -> None:
    rows = call.store.repositories.collaborators(call.repository)
    if login.lower() not in (row.login.lower() for row in rows):
        raise not_found()


@routes.put(f"{_R}/collaborators/<login>", "administration:admin")
def add_collaborator(call: Call, login: str) -> None:
    level = call.body(Permission).permission
    call.store.repositories.add_collaborator(call.repository, call.account(login), level)


@routes.delete(f"{_R}/collaborators/<login>", "administration:admin")
def remove_collaborator(call: Call, login: str) -> None:
    call.store.repositories.remove_collaborator(call.repository, call.account(login))


@routes.get(f"{_R}/collaborators/<login>/permission")
def permission(call: Call, login: str) -> Json:
    """Callers need a name; public repositories give everyone `read`."""
    call.require_name()
    account = call.store.accounts.find(login)
    if account is None:
        raise Refused(404, f"{login} is not a user")
    return shape.permission(call.shapes, call.repository, account)


@routes.get(f"{_R}/assignees")
def assignees(call: Call) -> Answer:
    rows = call.store.repositories.collaborators(call.repository)
    return call.page(rows, lambda row: people.user(call.shapes, row))


# Labels: https://docs.github.com/rest/issues/labels


@routes.get(f"{_R}/labels")
def labels(call: Call) -> Answer:
    rows = call.store.repositories.labels(call.repository)
    return call.page(rows, lambda row: shape.label(call.shapes, call.repository, row))


@routes.post(f"{_R}/labels", "issues:write")
def create_label(call: Call) -> Answer:
    body = call.body(NewLabel)
    row = call.store.repositories.create_label(
        call.repository, body.name, (body.color or "ededed").lstrip("#"), body.description
    )
    return Answer(shape.label(call.shapes, call.repository, row), 201)


@routes.get(f"{_R}/labels/<path:label>")
def get_label(call: Call, label: str) -> Json:
    return shape.label(call.shapes, call.repository, _label(call, label))


@routes.patch(f"{_R}/labels/<path:label>", "issues:write")
def edit_label(call: Call, label: str) -> Json:
    body = call.body(LabelChange)
    changes = {k: v for k, v in body.given().items() if k != "new_name"}
    if body.new_name is not None:
        changes["name"] = body.new_name
    row = call.store.repositories.edit_label(_label(call, label), **changes)
    return shape.label(call.shapes, call.repository, row)


@routes.delete(f"{_R}/labels/<path:label>", "issues:write")
def delete_label(call: Call, label: str) -> None:
    call.store.repositories.delete_label(_label(call, label))


def _create(call: Call, owner: Account) -> Answer:
    body = call.body(NewRepository)
    columns = _columns(body)
    row = call.store.repositories.create(owner, columns.pop("name"), call.actor, **columns)
    if body.auto_init:
        _first_commit(call, row)
        row = call.store.repositories.get(row.id)
    return Answer(shape.alone(call.shapes, row, call.actor), 201)


def _columns(body: NewRepository) -> dict[str, Any]:
    columns = {k: v for k, v in body.given().items() if k not in ("auto_init", "visibility")}
    if body.visibility is not None:
        columns["private"] = body.visibility != "public"
    flags = ("allow_", "delete_")
    return {
        k: v
        for k, v in columns.items()
        if v is not None or not (k in _NOT_NULL or k.startswith(flags))
    }


def _first_commit(call: Call, repository: Repository) -> None:
    """`auto_init`: a README with name and description."""
    git = call.store.git(repository)
    text = f"# {repository.name}\n" + (
        f"{repository.description}\n" if repository.description else ""
    )
    person = signature(call.actor.user, call.store.core)
    tree = git.write_tree(None, [TreeChange("README.md", "100644", git.write_blob(text.encode()))])
    sha = git.write_commit(tree, [], "Initial commit", person, person)
    ref = f"refs/heads/{repository.default_branch}"
    git.update_ref(ref, sha, ZERO)
    call.store.record_push(repository, call.actor, [RefUpdate(ref, ZERO, sha)])


def _label(call: Call, name: str) -> Label:
    return found(call.store.repositories.label(call.repository, name))
