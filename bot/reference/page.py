"""docs/configuration.md."""

from importlib import resources

import yaml
from jinja2 import Environment, StrictUndefined

from bot.config import Settings
from bot.reference.rows import setting_rows
from bot.serverconfig import ServerSettings


def configuration_page() -> str:
    """The whole page as Markdown."""
    environment = yaml.safe_load(_source("environment.yaml"))
    pages = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    server = [row for row in setting_rows(ServerSettings) if not row.name.startswith("run.")]
    text = pages.from_string(_source("configuration.md.j2")).render(
        server=server, run=setting_rows(Settings), environment=environment
    )
    return text.strip() + "\n"


def _source(name: str) -> str:
    return resources.files("bot.reference").joinpath(name).read_text("utf-8")
