"""Webhook deliveries as a closed set of events: pure functions over headers and bytes.

What is to be worked for one issue, or in one repository, is an `Event`; what changes which
repositories there are is `News`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import parse_qs

from pydantic import Field, TypeAdapter, ValidationError

from bot.base import Data
from bot.config import Settings
from bot.phases.steering import commands_of
from bot.ports.forge import Bar
from bot.runs.payloads import (
    CheckRunPayload,
    CommentPayload,
    InstallationPayload,
    IssuesPayload,
    PullPayload,
    PushPayload,
    Repository,
    RepositoryPayload,
    Sent,
    WorkflowRunPayload,
)
from bot.runs.start import issue_of_branch

_MOST_FIELDS = 8
_BRANCHES = "refs/heads/"
JUDGE = "repowright / judge"


class _Event(Data):
    """`repository` is OWNER/NAME; `installation` is 0 where the webhook is not an App's."""

    repository: str
    installation: int


class Labelled(_Event):
    """The label was put on an issue, or an issue was opened with it, at `at`."""

    kind: Literal["labelled"] = "labelled"
    issue: int
    sender: str
    at: datetime


class Commanded(_Event):
    """A person's comment on an issue or pull request holds command lines."""

    kind: Literal["commanded"] = "commanded"
    number: int
    on_pull: bool
    comment: int


class Woken(_Event):
    """Something happened that the run of an issue may wait for."""

    kind: Literal["woken"] = "woken"
    issue: int
    why: str


class Swept(_Event):
    """It is time to look over a repository for what no delivery told; no webhook makes this."""

    kind: Literal["swept"] = "swept"


class BaseMoved(_Event):
    """The default branch was pushed to, or is another one now; runs that go on look at it."""

    kind: Literal["base_moved"] = "base_moved"


class Renamed(_Event):
    """The repository had another name before, `former`, maybe another owner's."""

    kind: Literal["renamed"] = "renamed"
    former: str


class _Several(Data):
    repositories: tuple[str, ...]
    installation: int


class Lost(_Several):
    """Nothing can be done in these repositories from now on, and why."""

    kind: Literal["lost"] = "lost"
    bar: Bar


class Found(_Several):
    """Something can be done in these repositories again, or for the first time."""

    kind: Literal["found"] = "found"


class Ignored(Data):
    """A delivery that asks for nothing, and why."""

    why: str


News = BaseMoved | Renamed | Lost | Found
Event = Annotated[Labelled | Commanded | Woken | Swept, Field(discriminator="kind")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def subject_of(event: Event | News) -> dict[str, str | int]:
    """The one repository that an event concerns, and the issue or pull request, for the log."""
    match event:
        case Lost() | Found():
            return {}
        case Labelled() | Woken():
            return {"repository": event.repository, "issue": event.issue}
        case Commanded():
            return {"repository": event.repository, "issue": event.number}
        case _:
            return {"repository": event.repository}


def event_of(headers: Mapping[str, str], body: bytes, settings: Settings) -> Event | News | Ignored:
    """What a delivery asks for; whatever GitHub sends is one or the other.

    `headers` have lower-case names. Label and command word are those of `settings`.
    https://docs.github.com/en/webhooks/webhook-events-and-payloads
    """
    name = headers.get("x-github-event", "")
    read = _READERS.get(name)
    if read is None:
        return Ignored(why=f"no event of `{ascii(name[:60])[1:-1]}` matters")
    try:
        return read(_json_of(headers, body), settings)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return Ignored(why=f"the payload of `{name}` has no usable `{place}`: {first['msg']}")


def _json_of(headers: Mapping[str, str], body: bytes) -> bytes:
    # https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks#content-type
    if not headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return body
    try:
        fields = parse_qs(body.decode("ascii", "replace"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        return b""
    return fields.get("payload", [""])[0].encode()


def _issues(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues
    told = IssuesPayload.model_validate_json(body)
    wanted = settings.label.casefold()
    carried = {label.name.casefold() for label in told.issue.labels}
    changed = told.label.name.casefold() if told.label else ""
    match told.action:
        case "labeled" | "opened":
            named = {changed} if told.action == "labeled" else carried
            return _labelled(told) if wanted in named else Ignored(why="another label")
        case "unlabeled":
            concerns = changed == wanted
        case "edited" | "locked" | "unlocked":
            concerns = wanted in carried
        case "closed" | "reopened" | "transferred" | "deleted":
            concerns = True
        case _:
            return Ignored(why=f"issues `{told.action}` asks for nothing")
    if not concerns:
        return Ignored(why=f"issues `{told.action}` is not about our label")
    return Woken.model_validate({**told.place, "issue": told.issue.number, "why": told.action})


def _labelled(told: IssuesPayload) -> Event | Ignored:
    if told.sender.type == "Bot":
        return Ignored(why="a bot set the label")
    return Labelled.model_validate(
        {
            **told.place,
            "issue": told.issue.number,
            "sender": told.sender.login,
            "at": told.issue.updated_at,
        }
    )


def _issue_comment(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
    told = CommentPayload.model_validate_json(body)
    if told.action != "created":
        return Ignored(why=f"a comment {told.action} is not heard")
    if told.sender.type == "Bot" or told.comment.by_bot:
        return Ignored(why="a bot's comment")
    if not commands_of(told.comment.body or "", settings.command):
        return Ignored(why="a comment without a command")
    return Commanded.model_validate(
        {
            **told.place,
            "number": told.issue.number,
            "on_pull": told.issue.pull_request is not None,
            "comment": told.comment.id,
        }
    )


def _review(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_comment
    told = PullPayload.model_validate_json(body)
    if told.action not in ("submitted", "created"):
        return Ignored(why=f"a review {told.action} is not heard")
    if told.sender.type == "Bot":
        return Ignored(why="a bot's review")
    return _of_pull(told, "reviewed")


def _pull_request(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
    told = PullPayload.model_validate_json(body)
    retargeted = told.action == "edited" and told.changes.base is not None
    if told.action not in ("closed", "reopened") and not retargeted:
        return Ignored(why=f"pull_request `{told.action}` asks for nothing")
    return _of_pull(told, told.action)


def _of_pull(told: PullPayload, why: str) -> Event | Ignored:
    head = told.pull_request.head
    if head.repo is None or head.repo.full_name != told.repository.full_name:
        return Ignored(why="a fork's pull request")
    return _of_branch(told, head.ref, why)


def _of_branch(told: Sent, branch: str | None, why: str) -> Event | Ignored:
    issue = issue_of_branch(branch or "")
    if issue is None:
        return Ignored(why="the branch is no run's")
    return Woken.model_validate({**told.place, "issue": issue, "why": why})


def _workflow_run(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run
    told = WorkflowRunPayload.model_validate_json(body)
    if told.action != "completed":
        return Ignored(why=f"a workflow run {told.action} is not waited for")
    return _of_branch(told, told.workflow_run.head_branch, "checked")


def _check_run(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
    told = CheckRunPayload.model_validate_json(body)
    if told.action != "completed":
        return Ignored(why=f"a check run {told.action} is not waited for")
    if told.check_run.name == JUDGE:
        return Ignored(why="the bot's own check run")
    return _of_branch(told, told.check_run.check_suite.head_branch, "checked")


def _push(body: bytes, settings: Settings) -> Event | News | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
    told = PushPayload.model_validate_json(body)
    branch = told.ref.removeprefix(_BRANCHES)
    if branch == told.repository.default_branch and told.ref.startswith(_BRANCHES):
        return BaseMoved.model_validate(told.place)
    if told.sender.type == "Bot":
        return Ignored(why="a bot's push")
    return _of_branch(told, branch, "pushed")


def _repository(body: bytes, settings: Settings) -> Event | News | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#repository
    told = RepositoryPayload.model_validate_json(body)
    several = {
        "repositories": (told.repository.full_name,),
        "installation": told.place["installation"],
    }
    match told.action:
        case "archived":
            return Lost.model_validate({**several, "bar": "archived"})
        case "deleted":
            return Lost.model_validate({**several, "bar": "gone"})
        case "unarchived":
            return Found.model_validate(several)
        case "edited" if told.changes.default_branch is not None:
            return BaseMoved.model_validate(told.place)
        case "renamed" | "transferred":
            former = _former_name(told)
            if former != told.repository.full_name:
                return Renamed.model_validate({**told.place, "former": former})
    return Ignored(why=f"repository `{told.action}` asks for nothing")


def _former_name(told: RepositoryPayload) -> str:
    owner, _, name = told.repository.full_name.partition("/")
    changes = told.changes
    if changes.repository is not None:
        name = changes.repository.name.source or name
    if changes.owner is not None:
        before = changes.owner.source
        found = before.user or before.organization
        owner = found.login if found else owner
    return f"{owner}/{name}"


def _installation(body: bytes, settings: Settings) -> News | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation
    told = InstallationPayload.model_validate_json(body)
    match told.action:
        case "deleted":
            return _several(told, told.repositories, "uninstalled")
        case "suspend":
            return _several(told, told.repositories, "suspended")
        case "created" | "unsuspend" | "new_permissions_accepted":
            return _several(told, told.repositories)
        case "removed":
            return _several(told, told.repositories_removed, "uninstalled")
        case "added":
            return _several(told, told.repositories_added)
    return Ignored(why=f"installation `{told.action}` asks for nothing")


def _several(
    told: InstallationPayload, which: Sequence[Repository], bar: Bar | None = None
) -> News | Ignored:
    """Where a delivery names no repository, the next sweep finds out which."""
    if not which:
        return Ignored(why="no repository is named")
    values = {
        "repositories": tuple(found.full_name for found in which),
        "installation": told.installation.id,
    }
    if bar is None:
        return Found.model_validate(values)
    return Lost.model_validate({**values, "bar": bar})


_READERS: Mapping[str, Callable[[bytes, Settings], Event | News | Ignored]] = {
    "issues": _issues,
    "issue_comment": _issue_comment,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review,
    "workflow_run": _workflow_run,
    "check_run": _check_run,
    "push": _push,
    "repository": _repository,
    "installation": _installation,
    "installation_repositories": _installation,
}
