"""GitHub's GraphQL endpoint on the store: what `gh`, PyGithub and bots ask of it."""

from bot.forge.embedded.graphql.endpoint import Limiters, blueprint

__all__ = ["Limiters", "blueprint"]
