"""The objects of the GraphQL API, one class per type and named like it."""

from collections.abc import Mapping

from bot.forge.embedded.graphql.nodes import accounts, checks, issues, pulls, repositories, reviews
from bot.forge.embedded.graphql.nodes.base import Context, Maker
from bot.forge.embedded.store import rows
from bot.forge.embedded.store.rows import Row

MAKERS: Mapping[type[Row], Maker] = {
    rows.Account: accounts.make_account,
    rows.App: checks.App,
    rows.CheckRun: checks.CheckRun,
    rows.CheckSuite: checks.CheckSuite,
    rows.Comment: issues.IssueComment,
    rows.Issue: pulls.make_conversation,
    rows.Label: issues.Label,
    rows.Milestone: issues.Milestone,
    rows.Pull: pulls.PullRequest,
    rows.Reaction: issues.Reaction,
    rows.Repository: repositories.Repository,
    rows.Review: reviews.PullRequestReview,
    rows.ReviewComment: reviews.PullRequestReviewComment,
    rows.Status: checks.StatusContext,
    rows.Workflow: checks.Workflow,
    rows.WorkflowRun: checks.WorkflowRun,
}

__all__ = ["MAKERS", "Context"]
