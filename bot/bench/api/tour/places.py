"""Repositories, who may enter them, people and organizations."""

import json

from bot.bench.api.tour.guide import HOME, WORKFLOW, Guide


def found(guide: Guide) -> None:
    """ann/lamp with a first commit, a workflow, and a branch `work` that changes a file."""
    body = {"name": "lamp", "description": "Gives light", "private": False}
    guide.ask("POST", "/user/repos", body)
    guide.ask("GET", f"{HOME}/branches")
    guide.ask("GET", f"{HOME}/commits", status=409)
    guide.ask("GET", f"{HOME}/contents/", status=404)
    lines = "".join(f"line {number}\n" for number in range(1, 21))
    guide.write("lamp.py", lines)
    guide.write(".github/workflows/check.yml", WORKFLOW)
    main = guide.ask("GET", f"{HOME}/git/ref/heads/main")["object"]["sha"]
    guide.ask("POST", f"{HOME}/git/refs", {"ref": "refs/heads/work", "sha": main})
    entry = guide.ask("GET", f"{HOME}/contents/lamp.py", ref="work")
    changed = lines.replace("line 3\n", "line three\n")
    guide.write("lamp.py", changed, branch="work", sha=entry["sha"])


def repositories(guide: Guide) -> None:
    ask = guide.ask
    ask("GET", HOME)
    ask("PATCH", HOME, {"description": "Gives more light", "has_issues": True})
    ask("GET", f"{HOME}/topics")
    ask("PUT", f"{HOME}/topics", {"names": ["light", "lamp"]})
    ask("GET", f"{HOME}/languages")
    ask("GET", f"{HOME}/assignees", per_page=1)
    ask("POST", "/orgs/guild/repos", {"name": "shared"})
    ask("GET", "/orgs/guild/repos")
    ask("GET", "/users/ann/repos")
    ask("GET", "/user/repos", per_page=1, page=1)
    ask("GET", "/search/repositories", q="lamp")
    ask("POST", "/user/repos", {"name": "brief"})
    ask("POST", "/user/repos", {"name": "brief"}, status=422)
    ask("POST", "/repos/ann/brief/transfer", {"new_owner": "guild"})
    ask("GET", "/repos/ann/brief", status=301)
    ask("DELETE", "/repos/guild/brief")
    ask("GET", "/repos/guild/brief", status=404)
    ask("POST", f"{HOME}/dispatches", {"event_type": "sample.collected"})


def members(guide: Guide) -> None:
    ask = guide.ask
    dan = f"{HOME}/collaborators/dan"
    ask("PUT", dan, {"permission": "push"})
    ask("GET", f"{HOME}/collaborators")
    ask("GET", dan)
    ask("GET", f"{dan}/permission")
    ask("DELETE", dan)
    ask("GET", dan, status=404)
    ask("PUT", dan, {"permission": "push"})


def people(guide: Guide) -> None:
    ask = guide.ask
    ask("GET", "/")
    ask("GET", "/meta")
    ask("GET", "/rate_limit")
    ask("GET", "/user")
    ask("GET", "/user", by="app", status=403)
    ask("GET", f"/user/{guide.ann.id}")
    ask("GET", "/user/orgs")
    ask("GET", "/users/ann")
    ask("GET", "/users/guild")
    ask("GET", "/users/judge[bot]")
    ask("GET", "/users/nobody", status=404)
    ask("GET", "/orgs/guild")
    ask("GET", "/orgs/guild/members")
    ask("GET", "/orgs/guild/members/ann")
    ask("GET", "/orgs/guild/members/dan", status=404)


def labels(guide: Guide) -> None:
    ask = guide.ask
    ask("GET", f"{HOME}/labels")
    ask("POST", f"{HOME}/labels", {"name": "dim", "color": "333333", "description": "Too dark"})
    ask("POST", f"{HOME}/labels", {"name": "dim", "color": "333333"}, status=422)
    ask("GET", f"{HOME}/labels/dim")
    ask("PATCH", f"{HOME}/labels/dim", {"new_name": "dark", "color": "111111"})
    ask("DELETE", f"{HOME}/labels/dark")


def hooks(guide: Guide) -> None:
    ask = guide.ask
    config = {"url": f"{guide.github.url}/nobody", "content_type": "json", "secret": "s3cret"}
    hook = ask("POST", f"{HOME}/hooks", {"name": "web", "events": ["push"], "config": config})
    home = f"{HOME}/hooks/{hook['id']}"
    ask("GET", f"{HOME}/hooks")
    ask("GET", home)
    ask("PATCH", home, {"active": True, "add_events": ["issues"]})
    ask("POST", f"{home}/pings")
    (delivery, *_) = ask("GET", f"{home}/deliveries")
    ask("GET", f"{home}/deliveries/{delivery['id']}")
    ask("POST", f"{home}/deliveries/{delivery['id']}/attempts")
    ask("DELETE", home)


def manifest(guide: Guide) -> None:
    """What a manifest became, had once with the code that its owner was given."""
    store = guide.github.store
    home = "https://example.org"
    manifest = store.manifests.read(json.dumps({"url": home, "redirect_url": home}))
    code, _ = store.manifests.register(manifest, "Lamp", guide.ann)
    guide.ask("POST", f"/app-manifests/{code}/conversions")
    guide.ask("POST", f"/app-manifests/{code}/conversions", status=404)


def apps(guide: Guide) -> None:
    ask = guide.ask
    itself = "app itself"
    home = f"/app/installations/{guide.installation.id}"
    ask("GET", "/app", by=itself)
    ask("GET", "/apps/judge")
    ask("GET", "/app/installations", by=itself)
    ask("GET", home, by=itself)
    ask("GET", f"{HOME}/installation", by=itself)
    ask("GET", "/users/ann/installation", by=itself)
    ask("GET", "/orgs/guild/installation", by=itself)
    ask("GET", "/installation/repositories", by="app")
    narrowed = {"repositories": ["lamp"], "permissions": {"contents": "read"}}
    ask("POST", f"{home}/access_tokens", narrowed, by=itself)
    guide.tokens["brief"] = ask("POST", f"{home}/access_tokens", {}, by=itself)["token"]
    ask("DELETE", "/installation/token", by="brief")
    ask("GET", "/installation/repositories", by="brief", status=401)
    ask("GET", "/app/hook/config", by=itself)
    (delivery, *_) = ask("GET", "/app/hook/deliveries", by=itself)
    ask("GET", f"/app/hook/deliveries/{delivery['id']}", by=itself)
    ask("POST", f"/app/hook/deliveries/{delivery['id']}/attempts", by=itself)
