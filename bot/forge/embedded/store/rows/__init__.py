"""The rows of the store: one frozen model per table of schema.sql, ids given by the database."""

from bot.forge.embedded.store.rows.actions import (
    Artifact,
    Workflow,
    WorkflowJob,
    WorkflowRun,
)
from bot.forge.embedded.store.rows.base import (
    Json,
    Row,
)
from bot.forge.embedded.store.rows.checks import (
    CheckRun,
    CheckSuite,
    Status,
)
from bot.forge.embedded.store.rows.hooks import (
    Delivery,
    Hook,
)
from bot.forge.embedded.store.rows.issues import (
    Comment,
    Issue,
    Label,
    LostIssue,
    Milestone,
    Reaction,
    TimelineEvent,
)
from bot.forge.embedded.store.rows.people import (
    Account,
    AccountKind,
    App,
    Installation,
    Membership,
    Registration,
    Token,
    TokenKind,
)
from bot.forge.embedded.store.rows.pulls import (
    Pull,
    Review,
    ReviewComment,
)
from bot.forge.embedded.store.rows.repositories import (
    Collaborator,
    Protection,
    Redirect,
    Repository,
)
from bot.forge.embedded.store.rows.settings import (
    BranchPolicy,
    Environment,
    Secret,
    Variable,
)

__all__ = [
    "Account",
    "AccountKind",
    "App",
    "Artifact",
    "BranchPolicy",
    "CheckRun",
    "CheckSuite",
    "Collaborator",
    "Comment",
    "Delivery",
    "Environment",
    "Hook",
    "Installation",
    "Issue",
    "Json",
    "Label",
    "LostIssue",
    "Membership",
    "Milestone",
    "Protection",
    "Pull",
    "Reaction",
    "Redirect",
    "Registration",
    "Repository",
    "Review",
    "ReviewComment",
    "Row",
    "Secret",
    "Status",
    "TimelineEvent",
    "Token",
    "TokenKind",
    "Variable",
    "Workflow",
    "WorkflowJob",
    "WorkflowRun",
]
