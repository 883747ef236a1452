"""Environments, their branches, secrets and variables."""

import base64

from nacl.public import PublicKey, SealedBox

from bot.bench.api.tour.guide import HOME, Guide

_CUSTOM = {"protected_branches": False, "custom_branch_policies": True}


def environments(guide: Guide) -> None:
    ask, home = guide.ask, f"{HOME}/environments/harbour"
    ask("PUT", home, {"wait_timer": 30, "deployment_branch_policy": _CUSTOM})
    ask("GET", home)
    ask("GET", f"{HOME}/environments")
    policies = f"{home}/deployment-branch-policies"
    made = ask("POST", policies, {"name": "main"})
    ask("GET", policies)
    ask("GET", f"{policies}/{made['id']}")
    ask("PUT", f"{policies}/{made['id']}", {"name": "release/*"})
    ask("DELETE", f"{policies}/{made['id']}")
    ask("GET", f"{HOME}/environments/nowhere", status=404)
    _values(guide, home)
    _values(guide, f"{HOME}/actions")
    ask("DELETE", home)


def _values(guide: Guide, home: str) -> None:
    ask = guide.ask
    given = ask("GET", f"{home}/secrets/public-key")
    box = SealedBox(PublicKey(base64.b64decode(given["key"])))
    sealed = base64.b64encode(box.encrypt(b"known to few")).decode()
    body = {"encrypted_value": sealed, "key_id": given["key_id"]}
    for status in (201, 204):
        ask("PUT", f"{home}/secrets/TOKEN", body, status=status)
    ask("GET", f"{home}/secrets/TOKEN")
    ask("GET", f"{home}/secrets")
    ask("DELETE", f"{home}/secrets/TOKEN")
    ask("POST", f"{home}/variables", {"name": "PLACE", "value": "here"})
    ask("POST", f"{home}/variables", {"name": "PLACE", "value": "there"}, status=409)
    ask("PATCH", f"{home}/variables/PLACE", {"value": "there"})
    ask("GET", f"{home}/variables/PLACE")
    ask("GET", f"{home}/variables")
    ask("DELETE", f"{home}/variables/PLACE")
