"""The root, rate limits and other addresses that belong to no resource.

https://docs.github.com/rest/meta and https://docs.github.com/rest/rate-limit
"""

from bot.forge.embedded.rest.call import Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.store.rows import Json

routes = Routes()


_ROOT = {
    "current_user_url": "user",
    "current_user_authorizations_html_url": "settings/connections/applications{/client_id}",
    "authorizations_url": "authorizations",
    "code_search_url": "search/code?q={query}{&page,per_page,sort,order}",
    "commit_search_url": "search/commits?q={query}{&page,per_page,sort,order}",
    "emails_url": "user/emails",
    "emojis_url": "emojis",
    "events_url": "events",
    "feeds_url": "feeds",
    "followers_url": "user/followers",
    "following_url": "user/following{/target}",
    "gists_url": "gists{/gist_id}",
    "issue_search_url": "search/issues?q={query}{&page,per_page,sort,order}",
    "issues_url": "issues",
    "keys_url": "user/keys",
    "label_search_url": "search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    "notifications_url": "notifications",
    "organization_url": "orgs/{org}",
    "organization_repositories_url": "orgs/{org}/repos{?type,page,per_page,sort}",
    "organization_teams_url": "orgs/{org}/teams",
    "public_gists_url": "gists/public",
    "rate_limit_url": "rate_limit",
    "repository_url": "repos/{owner}/{repo}",
    "repository_search_url": "search/repositories?q={query}{&page,per_page,sort,order}",
    "current_user_repositories_url": "user/repos{?type,page,per_page,sort}",
    "starred_url": "user/starred{/owner}{/repo}",
    "starred_gists_url": "gists/starred",
    "user_url": "users/{user}",
    "user_organizations_url": "user/orgs",
    "user_repositories_url": "users/{user}/repos{?type,page,per_page,sort}",
    "user_search_url": "search/users?q={query}{&page,per_page,sort,order}",
}
"""https://docs.github.com/rest/meta/meta#github-api-root"""


@routes.get("/")
def root(call: Call) -> Json:
    """Also the addresses that this GitHub does not have."""
    shapes = call.shapes
    return {
        name: shapes.web(path) if name.endswith("html_url") else shapes.api(path)
        for name, path in _ROOT.items()
    }


@routes.get("/meta")
def meta(call: Call) -> Json:
    return {"verifiable_password_authentication": False, "installed_version": "3.19.0"}


@routes.get("/rate_limit")
def rate_limit(call: Call) -> Json:
    quota = call.services.limiter.quota(call.actor, call.request.remote_addr or "")
    core = {
        "limit": quota.limit,
        "used": quota.used,
        "remaining": quota.remaining,
        "reset": int(quota.reset.timestamp()),
    }
    return {
        "resources": {
            "core": core,
            "search": core | {"limit": 30, "used": 0, "remaining": 30},
            "graphql": core | {"used": 0, "remaining": quota.limit},
        },
        "rate": core,
    }
