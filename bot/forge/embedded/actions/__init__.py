"""GitHub Actions of the embedded GitHub: real act in the sandbox, results in the store."""

from bot.forge.embedded.actions.runner import LocalActions

__all__ = ["LocalActions"]
