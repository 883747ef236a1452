"""What a repository's settings allow: rules of a branch, and whether Actions run.

https://docs.github.com/rest/repos/rules
"""

from bot.forge.embedded.rest.call import Answer, Call
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.store.rows import Json

routes = Routes()
_R = "/repos/<owner>/<repo>"


@routes.get(f"{_R}/rules/branches/<path:branch>", "metadata:read")
def of_branch(call: Call, branch: str) -> Answer:
    """Rules of rulesets, of which there are none here; branch protection is none of them."""
    return call.page([], lambda rule: rule)


@routes.get(f"{_R}/actions/permissions", "administration:read")
def actions(call: Call) -> Json:
    """https://docs.github.com/rest/actions/permissions#get-github-actions-permissions-for-a-repository"""
    return {"enabled": True, "allowed_actions": "all"}
