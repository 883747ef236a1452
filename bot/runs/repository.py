"""A repository's own settings, as its default branch holds them when a run is triggered: never from
a fork or a work branch, whose authors may be anybody or the bot itself."""

from collections.abc import Mapping
from hashlib import sha256

from bot.base import RepowrightError
from bot.config import Settings
from bot.phases.texts import page
from bot.ports.forge import Forge
from bot.repoconfig.ceiling import Applied, apply_file
from bot.repoconfig.texts import tell
from bot.repoconfig.yamlfile import Problem, Wrong

PLACE = ".github/repowright.yml"
_MISNAMED = ".github/repowright.yaml"
_MOST_SHOWN = 20


class SettingsRefused(RepowrightError):
    """The file is wrong, so no run starts. `digest` tells one state of the file from another."""

    def __init__(self, problems: tuple[Problem, ...], content: bytes, where: str = PLACE) -> None:
        self.problems = problems
        self.digest = sha256(content).hexdigest()[:10]
        first = problems[0]
        super().__init__(
            f"{tell('refused')}: {first.text}",
            where=f"{where}:{first.line}",
            hint=tell("hint"),
        )


def settings_here(files: Mapping[str, bytes], operator: Settings) -> Applied:
    """The operator's settings with those of the files of the default branch; raise
    SettingsRefused where these are wrong."""
    if _MISNAMED in files:
        problem = Problem(line=1, text=tell("misnamed", name=PLACE))
        raise SettingsRefused((problem,), files[_MISNAMED], _MISNAMED)
    content = files.get(PLACE)
    if content is None:
        return Applied(settings=operator, chosen=())
    try:
        return apply_file(content, operator)
    except Wrong as wrong:
        raise SettingsRefused(wrong.problems, content) from wrong


def tell_refused(number: int, error: SettingsRefused, forge: Forge) -> None:
    """Say on the issue what is wrong, once for each state of the file."""
    shown = [f"line {p.line}: {p.text}" for p in error.problems[:_MOST_SHOWN]]
    text = page(
        "settings_refused",
        place=PLACE,
        problems=shown,
        more=len(error.problems) - len(shown),
    )
    forge.comment(f"rw{number}:settings.{error.digest}", number, text)
