"""Webhook deliveries as a closed set of events: pure functions over headers and bytes."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import parse_qs

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from bot.base import Data
from bot.config import Settings
from bot.phases.steering import commands_of
from bot.runs.start import issue_of_branch

_MOST_FIELDS = 8
# What goes on into a database or an address: no control characters, no number too large for a
# column, whatever the payload says.
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+(\[bot\])?$", max_length=100)]
_Action = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=60)]
_Id = Annotated[int, Field(ge=0, lt=2**63)]
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


class Ignored(Data):
    """A delivery that asks for nothing, and why."""

    why: str


Event = Annotated[Labelled | Commanded | Woken | Swept, Field(discriminator="kind")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def event_of(headers: Mapping[str, str], body: bytes, settings: Settings) -> Event | Ignored:
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


class _Loose(BaseModel):
    """The part of GitHub's object that we read; the rest may be and become what it will."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _User(_Loose):
    login: _Name
    type: str = "User"


class _Repository(_Loose):
    full_name: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=200)


class _Installation(_Loose):
    id: _Id


class _Label(_Loose):
    name: str


class _Issue(_Loose):
    number: _Id
    updated_at: datetime
    labels: tuple[_Label, ...] = ()
    pull_request: _Loose | None = None


class _Comment(_Loose):
    id: _Id
    body: str | None = None
    user: _User | None = None


class _Branch(_Loose):
    ref: str
    repo: _Repository | None = None


class _Pull(_Loose):
    head: _Branch


class _Suite(_Loose):
    head_branch: str | None = None


class _Check(_Loose):
    name: str
    check_suite: _Suite


class _Payload(_Loose):
    action: _Action
    repository: _Repository
    sender: _User
    installation: _Installation | None = None

    @property
    def place(self) -> dict[str, str | int]:
        return {
            "repository": self.repository.full_name,
            "installation": self.installation.id if self.installation else 0,
        }

    def of_branch(self, branch: str | None, why: str) -> Event | Ignored:
        issue = issue_of_branch(branch or "")
        if issue is None:
            return Ignored(why="the branch is no run's")
        return Woken.model_validate({**self.place, "issue": issue, "why": why})


class _IssuesPayload(_Payload):
    issue: _Issue
    label: _Label | None = None


class _CommentPayload(_Payload):
    issue: _Issue
    comment: _Comment


class _PullPayload(_Payload):
    pull_request: _Pull


class _WorkflowRunPayload(_Payload):
    workflow_run: _Suite


class _CheckRunPayload(_Payload):
    check_run: _Check


def _issues(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues
    told = _IssuesPayload.model_validate_json(body)
    if told.action == "closed":
        return Woken.model_validate({**told.place, "issue": told.issue.number, "why": "closed"})
    match told.action:
        case "labeled":
            labels = {told.label.name.casefold()} if told.label else set()
        case "opened":
            labels = {label.name.casefold() for label in told.issue.labels}
        case _:
            return Ignored(why=f"issues `{told.action}` asks for nothing")
    if settings.label.casefold() not in labels:
        return Ignored(why="another label")
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
    told = _CommentPayload.model_validate_json(body)
    if told.action != "created":
        return Ignored(why=f"a comment {told.action} is not heard")
    if told.sender.type == "Bot" or (told.comment.user and told.comment.user.type == "Bot"):
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
    told = _PullPayload.model_validate_json(body)
    if told.action not in ("submitted", "created"):
        return Ignored(why=f"a review {told.action} is not heard")
    if told.sender.type == "Bot":
        return Ignored(why="a bot's review")
    return _of_pull(told, "reviewed")


def _pull_request(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
    told = _PullPayload.model_validate_json(body)
    if told.action != "closed":
        return Ignored(why=f"pull_request `{told.action}` asks for nothing")
    return _of_pull(told, "closed")


def _of_pull(told: _PullPayload, why: str) -> Event | Ignored:
    head = told.pull_request.head
    if head.repo is None or head.repo.full_name != told.repository.full_name:
        return Ignored(why="a fork's pull request")
    return told.of_branch(head.ref, why)


def _workflow_run(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run
    told = _WorkflowRunPayload.model_validate_json(body)
    if told.action != "completed":
        return Ignored(why=f"a workflow run {told.action} is not waited for")
    return told.of_branch(told.workflow_run.head_branch, "checked")


def _check_run(body: bytes, settings: Settings) -> Event | Ignored:
    # https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
    told = _CheckRunPayload.model_validate_json(body)
    if told.action != "completed":
        return Ignored(why=f"a check run {told.action} is not waited for")
    if told.check_run.name == JUDGE:
        return Ignored(why="the bot's own check run")
    return told.of_branch(told.check_run.check_suite.head_branch, "checked")


_READERS: Mapping[str, Callable[[bytes, Settings], Event | Ignored]] = {
    "issues": _issues,
    "issue_comment": _issue_comment,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review,
    "workflow_run": _workflow_run,
    "check_run": _check_run,
}
