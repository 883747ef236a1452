"""Users, organizations, Apps and installations as GitHub's JSON.

Shapes: https://docs.github.com/rest/users/users and https://docs.github.com/rest/apps/apps
"""

from urllib.parse import quote

from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.rows import Account, App, Installation, Json, Repository

_LISTS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def user(shapes: Shapes, account: Account) -> Json:
    """The short form that stands inside other objects."""
    api = shapes.api(f"users/{quote(account.login)}")
    app = account.login.removesuffix("[bot]")
    html = f"apps/{app}" if account.kind == "Bot" else account.login
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id(account.kind, account.id),
        "avatar_url": shapes.web(f"avatars/{account.id}"),
        "gravatar_id": "",
        "url": api,
        "html_url": shapes.web(html),
        **{name: api + path for name, path in _LISTS.items()},
        "type": account.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def full_user(shapes: Shapes, account: Account) -> Json:
    owned = shapes.store.repositories.owned_by(account)
    private = sum(repository.private for repository in owned)
    return user(shapes, account) | {
        "name": account.name,
        "company": None,
        "blog": "",
        "location": None,
        "email": account.email,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": len(owned) - private,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": stamp(account.created_at),
        "updated_at": stamp(account.created_at),
    }


def private_user(shapes: Shapes, account: Account) -> Json:
    """What the account itself is told."""
    owned = shapes.store.repositories.owned_by(account)
    private = sum(repository.private for repository in owned)
    return full_user(shapes, account) | {
        "private_gists": 0,
        "total_private_repos": private,
        "owned_private_repos": private,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": False,
        "plan": {"name": "free", "space": 976562499, "private_repos": 10000, "collaborators": 0},
    }


def organization(shapes: Shapes, account: Account) -> Json:
    """The short form of lists and payloads."""
    api = shapes.api(f"orgs/{account.login}")
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id(account.kind, account.id),
        "url": api,
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events",
        "hooks_url": f"{api}/hooks",
        "issues_url": f"{api}/issues",
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}",
        "avatar_url": shapes.web(f"avatars/{account.id}"),
        "description": None,
    }


def full_organization(shapes: Shapes, account: Account) -> Json:
    owned = shapes.store.repositories.owned_by(account)
    return organization(shapes, account) | {
        "name": account.name or account.login,
        "html_url": shapes.web(account.login),
        "type": "Organization",
        "is_verified": False,
        "has_organization_projects": False,
        "has_repository_projects": False,
        "public_repos": sum(not repository.private for repository in owned),
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": stamp(account.created_at),
        "updated_at": stamp(account.created_at),
        "archived_at": None,
    }


def app(shapes: Shapes, row: App) -> Json:
    return {
        "id": row.id,
        "client_id": row.client_id,
        "slug": row.slug,
        "node_id": node_id("App", row.id),
        "owner": user(shapes, shapes.store.accounts.get(row.owner_id)),
        "name": row.name,
        "description": "",
        "external_url": shapes.web(f"apps/{row.slug}"),
        "html_url": shapes.web(f"apps/{row.slug}"),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.created_at),
        "permissions": row.permissions,
        "events": list(row.events),
        "installations_count": len(shapes.store.apps.installations(row)),
    }


def installation(shapes: Shapes, row: Installation) -> Json:
    account = shapes.store.accounts.get(row.account_id)
    owner = shapes.store.apps.get(row.app_id)
    settings = f"settings/installations/{row.id}"
    if account.kind == "Organization":
        settings = f"organizations/{account.login}/{settings}"
    return {
        "id": row.id,
        "client_id": owner.client_id,
        "account": user(shapes, account),
        "repository_selection": "all" if row.all_repositories else "selected",
        "access_tokens_url": shapes.api(f"app/installations/{row.id}/access_tokens"),
        "repositories_url": shapes.api("installation/repositories"),
        "html_url": shapes.web(settings),
        "app_id": row.app_id,
        "app_slug": owner.slug,
        "target_id": account.id,
        "target_type": account.kind,
        "permissions": row.permissions,
        "events": list(row.events),
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": stamp(row.suspended_at),
    }


def installation_reference(row: Installation) -> Json:
    """What webhook payloads carry."""
    return {"id": row.id, "node_id": node_id("IntegrationInstallation", row.id)}


def maker(shapes: Shapes, app_id: int | None) -> Json | None:
    """The App through which something was written, None for people."""
    return None if app_id is None else app(shapes, shapes.store.apps.get(app_id))


def association(shapes: Shapes, repository: Repository, account: Account) -> str:
    """How an author stands to a repository. Not what decides about permissions.
    https://docs.github.com/graphql/reference/enums#commentauthorassociation
    """
    owner = shapes.store.accounts.get(repository.owner_id)
    if account.id == owner.id:
        return "OWNER"
    if shapes.store.accounts.administers(account, owner):
        return "MEMBER"
    added = shapes.store.tables.collaborators.count(
        repository_id=repository.id, account_id=account.id
    )
    return "COLLABORATOR" if added else "NONE"


def permissions(shapes: Shapes, repository: Repository, actor: Actor) -> dict[str, bool]:
    """What the caller may do, as repositories show it."""
    allows = shapes.store.repositories.allows
    levels = {
        "admin": "admin",
        "maintain": "maintain",
        "push": "write",
        "triage": "triage",
        "pull": "read",
    }
    area = {"admin": "administration", "maintain": "administration"}
    return {
        name: allows(actor, repository, area.get(name, "contents"), level)
        for name, level in levels.items()
    }
