"""Everything that GraphQL can change."""

from bot.forge.embedded.graphql.mutations.marks import MarkMutations
from bot.forge.embedded.graphql.mutations.pulls import PullMutations
from bot.forge.embedded.graphql.mutations.repositories import RepositoryMutations
from bot.forge.embedded.graphql.mutations.reviews import ReviewMutations


class Mutation(PullMutations, MarkMutations, ReviewMutations, RepositoryMutations):
    """The root of mutations; each takes its input and answers the fields of its payload."""


__all__ = ["Mutation"]
