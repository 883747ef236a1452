"""The second half of a registration: the code that GitHub sent back becomes credentials."""

import re
from typing import Any

import requests
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from bot.base import RepowrightError
from bot.setup.kept import KeptApp
from bot.setup.place import GitHubPlace

_SECONDS = 30.0
_CODE = re.compile(r"[A-Za-z0-9_-]{1,200}")


class Unreached(RepowrightError):
    """The code may still be good."""


class _Owner(BaseModel):
    model_config = ConfigDict(extra="ignore")

    login: str


class _Converted(BaseModel):
    """The part of GitHub's answer that is kept."""

    model_config = ConfigDict(extra="ignore")

    id: int
    slug: str
    name: str
    html_url: str
    owner: _Owner
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr
    pem: SecretStr


def convert(place: GitHubPlace, code: str) -> KeptApp:
    """Exchange the code, which is good for an hour and once; raise RepowrightError.
    https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
    """
    if not _CODE.fullmatch(code):
        raise RepowrightError("GitHub sent back no code", hint="begin again")
    answer = _post(f"{place.api}/app-manifests/{code}/conversions")
    try:
        told = _Converted.model_validate(answer)
    except ValidationError as error:
        names = ", ".join(sorted({str(e["loc"][0]) for e in error.errors()}))
        raise RepowrightError(
            f"GitHub's answer has no usable {names}",
            where=place.api,
            hint="delete the App in GitHub's settings, and begin again",
        ) from None
    if not told.html_url.startswith(f"{place.web}/"):
        raise RepowrightError(
            "the App's page is on another host than GitHub's pages",
            where=place.web,
            hint="give the address that people open in the browser",
        )
    return KeptApp(
        api_url=place.api,
        web_url=place.web,
        app_id=str(told.id),
        slug=told.slug,
        name=told.name,
        owner=told.owner.login,
        html_url=told.html_url,
        client_id=told.client_id,
        client_secret=told.client_secret,
        webhook_secret=told.webhook_secret,
        private_key=told.pem,
    )


def _post(url: str) -> Any:
    """Errors name no address: the code in it is a secret."""
    headers = {"Accept": "application/vnd.github+json"}
    try:
        answer = requests.post(url, headers=headers, timeout=_SECONDS, allow_redirects=False)
        if answer.status_code == requests.codes.created:
            return answer.json()
    except requests.RequestException:
        raise Unreached(
            "GitHub's API cannot be reached from the server",
            hint="see that the server may connect to it, and try again within the hour",
        ) from None
    if answer.status_code == requests.codes.not_found:
        hint = "it is good once and for an hour; delete the App in GitHub's settings, begin again"
        raise RepowrightError("GitHub does not know the code", hint=hint)
    raise RepowrightError(
        f"GitHub refused the code with status {answer.status_code}", hint="begin again"
    )
