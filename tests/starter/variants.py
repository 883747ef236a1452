"""Every set of files that `repowright init` can write, for tests."""

from pathlib import Path
from typing import Any

import yaml

from bot.starter.files import starter_files
from bot.starter.repository import Target
from bot.starter.setups import Purpose, SetupName, setups

Workflows = dict[str, dict[Any, Any]]
ALL = [(setup, purpose) for setup in SetupName for purpose in Purpose]


def texts(setup: SetupName, purpose: Purpose) -> dict[str, str]:
    """File name -> text of the workflows of one variant."""
    files = starter_files(setups()[setup], purpose, Target(root=Path()))
    return {
        Path(file.path).name: file.text
        for file in files
        if file.path.startswith(".github/workflows/")
    }


def workflows(setup: SetupName, purpose: Purpose) -> Workflows:
    return {name: read(text) for name, text in texts(setup, purpose).items()}


def read(text: str) -> dict[Any, Any]:
    """A workflow; `on`, which YAML takes for a truth value, under its name."""
    table = yaml.safe_load(text)
    return {"on" if key is True else key: value for key, value in table.items()}
