"""`repowright serve` and `worker`: the bot as a service."""

import os

from bot.commands.options import Config
from bot.secretfiles import with_secret_files
from bot.serverconfig import read_settings
from bot.serving import serve as serve_until_stopped


def serve(config: Config = None) -> None:
    """Answer GitHub's webhooks and work for the repositories that they come from."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ)


def worker(config: Config = None) -> None:
    """Work beside servers that share this one's database, and take no deliveries."""
    environ = with_secret_files(os.environ)
    serve_until_stopped(read_settings(config, environ), environ, receiving=False)
