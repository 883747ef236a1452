"""The root, rate limits and other addresses that belong to no resource.

https://docs.github.com/rest/meta and https://docs.github.com/rest/rate-limit
"""

from bot.forge.embedded.rest.call import Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.store.rows import Json

routes = Routes()


@routes.get("/")
def root(call: Call) -> Json:
    api = call.shapes.api_url
    return {
        "current_user_url": f"{api}/user",
        "issue_search_url": f"{api}/search/issues?q={{query}}{{&page,per_page,sort,order}}",
        "rate_limit_url": f"{api}/rate_limit",
        "repository_url": f"{api}/repos/{{owner}}/{{repo}}",
        "user_url": f"{api}/users/{{user}}",
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
