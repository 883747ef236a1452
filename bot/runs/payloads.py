"""The parts of GitHub's webhook payloads that we read; the rest may be and become what it will."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# What goes on into a database or an address: no control characters, no number too large for a
# column, whatever the payload says.
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+(\[bot\])?$", max_length=100)]
_Action = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=60)]
_Id = Annotated[int, Field(ge=0, lt=2**63)]
# Columns of Postgres that hold these have four bytes.
_Number = Annotated[int, Field(ge=0, lt=2**31)]


class Loose(BaseModel):
    """An object of GitHub's."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class User(Loose):
    login: _Name
    type: str = "User"


class Repository(Loose):
    full_name: str = Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", max_length=200)
    default_branch: str = ""


class Installation(Loose):
    id: _Number


class Label(Loose):
    name: str


class Issue(Loose):
    number: _Number
    updated_at: datetime
    labels: tuple[Label, ...] = ()
    pull_request: Loose | None = None


class Comment(Loose):
    """An App may comment in the name of a person, who is the `user` then."""

    id: _Id
    body: str | None = None
    user: User | None = None
    performed_via_github_app: Loose | None = None

    @property
    def by_bot(self) -> bool:
        person = self.user is None or self.user.type != "Bot"
        return not person or self.performed_via_github_app is not None


class Branch(Loose):
    ref: str
    repo: Repository | None = None


class Pull(Loose):
    head: Branch


class OldOwner(Loose):
    """A person's or an organization's."""

    user: User | None = None
    organization: User | None = None


class OwnerFrom(Loose):
    source: OldOwner = Field(OldOwner(), alias="from")


class NameFrom(Loose):
    source: _Name | None = Field(None, alias="from")


class RepositoryChange(Loose):
    name: NameFrom = NameFrom()


class Changes(Loose):
    """What an edit changed, as far as we ask; each None where it did not."""

    base: Loose | None = None
    default_branch: Loose | None = None
    repository: RepositoryChange | None = None
    owner: OwnerFrom | None = None


class Suite(Loose):
    head_branch: str | None = None


class Check(Loose):
    name: str
    check_suite: Suite


class Sent(Loose):
    """What every delivery of a repository has."""

    repository: Repository
    sender: User
    installation: Installation | None = None

    @property
    def place(self) -> dict[str, str | int]:
        return {
            "repository": self.repository.full_name,
            "installation": self.installation.id if self.installation else 0,
        }


class Payload(Sent):
    action: _Action


class PushPayload(Sent):
    ref: str


class RepositoryPayload(Payload):
    changes: Changes = Changes()


class InstallationPayload(Loose):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation
    https://docs.github.com/en/webhooks/webhook-events-and-payloads#installation_repositories
    """

    action: _Action
    installation: Installation
    repositories: tuple[Repository, ...] = ()
    repositories_added: tuple[Repository, ...] = ()
    repositories_removed: tuple[Repository, ...] = ()


class IssuesPayload(Payload):
    issue: Issue
    label: Label | None = None


class CommentPayload(Payload):
    issue: Issue
    comment: Comment


class PullPayload(Payload):
    pull_request: Pull
    changes: Changes = Changes()


class WorkflowRunPayload(Payload):
    workflow_run: Suite


class Ran(Suite):
    id: _Id
    head_sha: str
    conclusion: str | None = None
    head_repository: Repository | None = None


class RanPayload(Payload):
    """A workflow run, as who mends what failed in it needs it."""

    workflow_run: Ran


class CheckRunPayload(Payload):
    check_run: Check
