"""Repositories, branches, protection, labels and collaborators as GitHub's JSON.

Shapes: https://docs.github.com/rest/repos/repos
"""

from urllib.parse import quote

from bot.forge.embedded.shapes import people
from bot.forge.embedded.shapes.base import Shapes, node_id, stamp
from bot.forge.embedded.store.access import Actor
from bot.forge.embedded.store.policy import flag
from bot.forge.embedded.store.rows import Account, Json, Label, Protection, Repository

_ADDRESSES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}

_SETTINGS = frozenset(
    {
        "allow_merge_commit",
        "allow_squash_merge",
        "allow_rebase_merge",
        "allow_auto_merge",
        "allow_update_branch",
    }
)


def short(shapes: Shapes, row: Repository) -> Json:
    """The form without counts and dates, inside other objects."""
    api = api_url(shapes, row)
    return {
        "id": row.id,
        "node_id": node_id("Repository", row.id),
        "name": row.name,
        "full_name": row.full_name,
        "private": row.private,
        "owner": people.user(shapes, shapes.store.accounts.get(row.owner_id)),
        "html_url": shapes.web(row.full_name),
        "description": row.description,
        "fork": False,
        "url": api,
        **{name: api + path for name, path in _ADDRESSES.items()},
    }


def full(shapes: Shapes, row: Repository, actor: Actor | None = None) -> Json:
    """The form of lists, and inside pull requests."""
    web = shapes.web(row.full_name)
    open_issues = shapes.store.tables.issues.count(repository_id=row.id, state="open")
    shape = short(shapes, row) | {
        "git_url": f"{web}.git",
        "ssh_url": f"{web}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        "mirror_url": None,
        "homepage": row.homepage,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "license": None,
        "has_issues": row.has_issues,
        "has_projects": False,
        "has_downloads": True,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": 0,
        "archived": row.archived,
        "disabled": False,
        "open_issues_count": open_issues,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": list(row.topics),
        "visibility": "private" if row.private else "public",
        "forks": 0,
        "open_issues": open_issues,
        "watchers": 0,
        "default_branch": row.default_branch,
        "created_at": stamp(row.created_at),
        "updated_at": stamp(row.updated_at),
        "pushed_at": stamp(row.pushed_at or row.created_at),
        "allow_merge_commit": row.allow_merge_commit,
        "allow_squash_merge": row.allow_squash_merge,
        "allow_rebase_merge": row.allow_rebase_merge,
        "allow_auto_merge": False,
        "allow_update_branch": False,
        "delete_branch_on_merge": row.delete_branch_on_merge,
    }
    if actor is not None:
        shape["permissions"] = people.permissions(shapes, row, actor)
    return shape


def alone(shapes: Shapes, row: Repository, actor: Actor) -> Json:
    """The form of a repository asked for by itself."""
    return full(shapes, row, actor) | {"subscribers_count": 0, "network_count": 0}


def minimal(shapes: Shapes, row: Repository, actor: Actor) -> Json:
    """The form without settings that only its administrators care for."""
    shape = full(shapes, row, actor)
    return {name: value for name, value in shape.items() if name not in _SETTINGS}


def found(shapes: Shapes, row: Repository, actor: Actor) -> Json:
    """The form that search shows."""
    shape = full(shapes, row, actor)
    return {k: v for k, v in shape.items() if k != "allow_update_branch"} | {"score": 1.0}


def api_url(shapes: Shapes, row: Repository, path: str = "") -> str:
    return shapes.api(f"repos/{row.full_name}{path}")


def web_url(shapes: Shapes, row: Repository, path: str = "") -> str:
    return shapes.web(f"{row.full_name}{path}")


def label(shapes: Shapes, repository: Repository, row: Label) -> Json:
    return {
        "id": row.id,
        "node_id": node_id("Label", row.id),
        "url": api_url(shapes, repository, f"/labels/{quote(row.name)}"),
        "name": row.name,
        "color": row.color,
        "default": row.default,
        "description": row.description,
    }


def collaborator(shapes: Shapes, repository: Repository, account: Account) -> Json:
    level = shapes.store.repositories.permission(repository, account)
    return people.user(shapes, account) | {
        "permissions": people.permissions(shapes, repository, Actor(account)),
        "role_name": level,
    }


def permission(shapes: Shapes, repository: Repository, account: Account) -> Json:
    """`permission` knows four levels only, `role_name` all.
    https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    role = shapes.store.repositories.permission(repository, account)
    level = {"maintain": "write", "triage": "read"}.get(role, role)
    return {
        "permission": level,
        "role_name": role,
        "user": collaborator(shapes, repository, account),
    }


def branch(shapes: Shapes, repository: Repository, name: str, commit: Json) -> Json:
    """`commit` is the full commit."""
    api = api_url(shapes, repository, f"/branches/{name}")
    links = {"self": api, "html": web_url(shapes, repository, f"/tree/{name}")}
    return short_branch(shapes, repository, name, commit) | {"_links": links}


def short_branch(shapes: Shapes, repository: Repository, name: str, commit: Json) -> Json:
    """The form of lists; `commit` is {"sha", "url"}."""
    api = api_url(shapes, repository, f"/branches/{name}")
    protection_row = shapes.store.repositories.protection(repository, name)
    checks = protection_row.settings.get("required_status_checks") if protection_row else None
    return {
        "name": name,
        "commit": commit,
        "protected": protection_row is not None,
        "protection": {
            "enabled": protection_row is not None,
            "required_status_checks": {
                "enforcement_level": "everyone" if checks else "off",
                "contexts": [check["context"] for check in required_checks(checks)],
                "checks": required_checks(checks),
            },
        },
        "protection_url": f"{api}/protection",
    }


def required_checks(settings: Json | None) -> list[Json]:
    """The checks that protection requires, however the request named them."""
    given = settings or {}
    named = given.get("checks") or [{"context": c} for c in given.get("contexts") or ()]
    return [{"context": check["context"], "app_id": check.get("app_id")} for check in named]


def protection(shapes: Shapes, repository: Repository, row: Protection) -> Json:
    """https://docs.github.com/rest/branches/branch-protection#get-branch-protection"""
    url = api_url(shapes, repository, f"/branches/{row.branch}/protection")
    shape: Json = {"url": url}
    checks = row.settings.get("required_status_checks")
    if checks is not None:
        contexts = [check["context"] for check in required_checks(checks)]
        shape["required_status_checks"] = {
            "url": f"{url}/required_status_checks",
            "strict": bool(checks.get("strict")),
            "contexts": contexts,
            "contexts_url": f"{url}/required_status_checks/contexts",
            "checks": required_checks(checks),
        }
    reviews = row.settings.get("required_pull_request_reviews")
    if reviews is not None:
        shape["required_pull_request_reviews"] = {
            "url": f"{url}/required_pull_request_reviews",
            "dismiss_stale_reviews": bool(reviews.get("dismiss_stale_reviews")),
            "require_code_owner_reviews": bool(reviews.get("require_code_owner_reviews")),
            "required_approving_review_count": reviews.get("required_approving_review_count", 1),
            "require_last_push_approval": bool(reviews.get("require_last_push_approval")),
        }
    admins = {"url": f"{url}/enforce_admins", "enabled": flag(row.settings, "enforce_admins")}
    flags = (
        "required_linear_history",
        "allow_force_pushes",
        "allow_deletions",
        "block_creations",
        "required_conversation_resolution",
        "lock_branch",
        "allow_fork_syncing",
    )
    return shape | {
        "enforce_admins": admins,
        **{name: {"enabled": flag(row.settings, name)} for name in flags},
    }
