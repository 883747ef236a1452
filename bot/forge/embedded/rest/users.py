"""Users, organizations and who the caller is.

https://docs.github.com/rest/users/users and https://docs.github.com/rest/orgs/orgs
"""

from bot.forge.embedded.rest.call import Answer, Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import people, repositories
from bot.forge.embedded.store.errors import forbidden, not_found
from bot.forge.embedded.store.rows import Account, Json, Repository

routes = Routes()


@routes.get("/user")
def current(call: Call) -> Json:
    """Apps and workflows are no user: 403."""
    account = call.actor.user
    if call.actor.is_integration:
        docs = "https://docs.github.com/rest/users/users#get-the-authenticated-user"
        raise forbidden(docs=docs)
    return people.private_user(call.shapes, account)


@routes.get("/user/repos")
def own_repositories(call: Call) -> Answer:
    account = call.actor.user
    store = call.store
    mine = [
        r
        for r in store.repositories.visible_to(call.actor)
        if account.id in {a.id for a in store.repositories.collaborators(r)}
    ]
    return call.page(mine, lambda r: repositories.full(call.shapes, r, call.actor))


@routes.get("/user/orgs")
def own_organizations(call: Call) -> Answer:
    found = call.store.accounts.organizations(call.actor.user)
    return call.page(found, lambda account: people.organization(call.shapes, account))


@routes.get("/users/<login>")
def by_login(call: Call, login: str) -> Json:
    return people.full_user(call.shapes, call.account(login))


@routes.get("/user/<int:identity>")
def by_id(call: Call, identity: int) -> Json:
    account = call.store.tables.accounts.one(id=identity)
    if account is None:
        raise not_found()
    return people.full_user(call.shapes, account)


@routes.get("/users/<login>/repos")
def repositories_of_user(call: Call, login: str) -> Answer:
    return _owned(call, call.account(login))


@routes.get("/orgs/<login>")
def organization(call: Call, login: str) -> Json:
    return people.full_organization(call.shapes, _organization(call, login))


@routes.get("/orgs/<login>/repos")
def repositories_of_organization(call: Call, login: str) -> Answer:
    return _owned(call, _organization(call, login))


@routes.get("/orgs/<login>/members")
def members(call: Call, login: str) -> Answer:
    found = call.store.accounts.members(_organization(call, login))
    return call.page(found, lambda account: people.user(call.shapes, account))


@routes.get("/orgs/<login>/members/<member>")
def is_member(call: Call, login: str, member: str) -> None:
    organization = _organization(call, login)
    if not call.store.accounts.administers(call.account(member), organization):
        raise not_found()


def _owned(call: Call, owner: Account) -> Answer:
    def visible(repository: Repository) -> bool:
        return call.store.repositories.allows(call.actor, repository, "metadata", "read")

    shown = [r for r in call.store.repositories.owned_by(owner) if visible(r)]
    return call.page(shown, lambda r: repositories.minimal(call.shapes, r, call.actor))


def _organization(call: Call, login: str) -> Account:
    account = call.account(login)
    if account.kind != "Organization":
        raise not_found()
    return account
