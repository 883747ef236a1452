"""Secrets that come as files, which is how Docker and Kubernetes hand them over."""

from collections.abc import Mapping
from pathlib import Path

from bot.base import RepowrightError

SUFFIX = "_FILE"
_OURS = "REPOWRIGHT_"
_KEY = "_API_KEY"


def with_secret_files(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment, and what `REPOWRIGHT_<NAME>_FILE` and `<NAME>_API_KEY_FILE` point to under
    the name without `_FILE`. Raise RepowrightError where a file cannot be read, or where both a
    value and a file are given."""
    values = dict(environ)
    for variable, file in environ.items():
        name = variable.removesuffix(SUFFIX)
        if not file or name == variable or not (name.startswith(_OURS) or name.endswith(_KEY)):
            continue
        if environ.get(name):
            raise RepowrightError(f"both {name} and {variable} are set", hint="unset one of them")
        values[name] = _content(variable, Path(file))
    return values


def _content(variable: str, file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise RepowrightError(
            f"the file that {variable} names cannot be read",
            where=str(file),
            hint="check that it is there and that the bot's user may read it",
        ) from error
