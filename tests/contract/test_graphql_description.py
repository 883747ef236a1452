"""The embedded GitHub's GraphQL schema is a part of GitHub's: what works with it works there."""

from graphql import GraphQLSchema, find_breaking_changes

from bot.forge.embedded.graphql import schema

# gh asks for an issue's type, which the published schema leaves out.
ASKED_FOR = {"IssueType was removed.", "Issue.issueType was removed."}


def test_the_embedded_schema_is_a_part_of_githubs(github_schema: GraphQLSchema) -> None:
    """Every type, field, argument and value is there, and no field is emptier than told."""
    told = find_breaking_changes(schema.github_schema(), github_schema)
    assert {change.description for change in told} <= ASKED_FOR
