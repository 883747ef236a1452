"""The files that a repository needs, as text. Pure but for reading our own templates."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined

from bot.base import Data
from bot.config import CheckSettings, Settings
from bot.starter.repository import CheckWorkflow, Target
from bot.starter.setups import Purpose, Setup

REFERENCE = "https://github.com/repowright/repowright/blob/main/docs"
_WORKFLOWS = ".github/workflows"
_REVIEW = "Repowright review"


class StarterFile(Data):
    """`path` is POSIX, below the repository's root; `theirs`: once it is there it is the
    repository's own, whatever it holds."""

    path: str
    text: str
    theirs: bool = False


def starter_files(setup: Setup, purpose: Purpose, target: Target) -> tuple[StarterFile, ...]:
    """The files for a set-up; a check workflow only where the repository has none."""
    check = target.check or CheckWorkflow()
    values = {
        "setup": setup,
        "purpose": purpose.value,
        "target": target,
        "check_file": check.file,
        "woken_by": _woken_by(setup, purpose, check),
        "run": _settings(check),
        "standard_file": CheckSettings().workflow,
        "docs": f"{REFERENCE}/actions.md",
        "reference": f"{REFERENCE}/configuration.md",
    }
    workflows = [
        *(["repowright.yml"] if purpose.generates else []),
        *(["repowright-repair.yml"] if purpose.repairs else []),
        "repowright-review.yml",
        *(["repowright-check.yml"] if target.check in (None, CheckWorkflow()) else []),
    ]
    files = [
        StarterFile(path=f"{_WORKFLOWS}/{name}", text=_rendered(f"{name}.j2", values))
        for name in workflows
    ]
    if purpose.generates:
        form = _rendered("spec.yml", values)
        files.append(StarterFile(path=".github/ISSUE_TEMPLATE/spec.yml", text=form))
    settings = _rendered("settings.yml.j2", values)
    return (*files, StarterFile(path=".github/repowright.yml", text=settings, theirs=True))


def _woken_by(setup: Setup, purpose: Purpose, check: CheckWorkflow) -> dict[str, str]:
    """Names of the workflows whose end wakes each workflow, as a list in YAML."""
    review = [_REVIEW]
    checked = [check.name, *review]
    own = checked if setup.checks == "workflow" else review
    repair = [check.name] if purpose is Purpose.BOTH else checked
    return {"generate": json.dumps(own), "repair": json.dumps(repair)}


def _settings(check: CheckWorkflow) -> Settings:
    """The settings that the workflows spell out, so that nobody has to look for their names."""
    return Settings(checks=CheckSettings(workflow=check.file))


def _rendered(template: str, values: dict[str, Any]) -> str:
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Templates:
    """Brackets, since braces are GitHub's own."""
    return Templates(  # noqa: S701 - YAML; what is not ours is quoted
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        comment_start_string="[#",
        comment_end_string="#]",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
