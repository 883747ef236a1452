"""What stands in for actions/create-github-app-token: signs as the App, asks this GitHub for a
token of its installation, and leaves it as the step's outputs."""

import json
import os
import time
import urllib.request
from pathlib import Path
from typing import Any

import jwt

_LIFE = 300
_PREFIX = "PERMISSION_"


def main() -> None:
    signed = _signed(os.environ["APP"], os.environ["KEY"])
    repository = os.environ["GITHUB_REPOSITORY"]
    owner, _, name = repository.partition("/")
    named = os.environ["REPOSITORIES"].replace(",", " ").split()
    installation = _asked("GET", f"/repos/{repository}/installation", signed)
    body: dict[str, Any] = {"permissions": _permissions()} if _permissions() else {}
    if named or not os.environ["OWNER"]:
        body["repositories"] = named or [name]
    path = f"/app/installations/{installation['id']}/access_tokens"
    made = _asked("POST", path, signed, body)
    print(f"::add-mask::{made['token']}")
    outputs = {
        "token": made["token"],
        "installation-id": installation["id"],
        "app-slug": installation["app_slug"],
    }
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as out:
        out.writelines(f"{name}={value}\n" for name, value in outputs.items())
    print(f"A token of {installation['app_slug']} for {owner}")


def _permissions() -> dict[str, str]:
    asked = {n: v for n, v in os.environ.items() if n.startswith(_PREFIX) and v}
    return {name.removeprefix(_PREFIX).lower(): level for name, level in asked.items()}


def _signed(app: str, key: str) -> str:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + _LIFE, "iss": app}
    return jwt.encode(claims, key, algorithm="RS256")


def _asked(verb: str, path: str, signed: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the address of this very GitHub
        os.environ["GITHUB_API_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        method=verb,
        headers={"Authorization": f"Bearer {signed}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return json.load(answer)


if __name__ == "__main__":
    main()
