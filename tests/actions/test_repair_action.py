"""`actions/repair` is `actions/generate` for another occasion: the two do not drift apart."""

from pathlib import Path
from typing import Any

import yaml

ACTIONS = Path(__file__).resolve().parents[2] / "actions"
ITS_OWN = {"report": "REPOWRIGHT_REPORT", "workflow": "REPOWRIGHT_WORKFLOW"}


def action(name: str) -> Any:
    return yaml.safe_load((ACTIONS / name / "action.yml").read_text("utf-8"))


def test_it_does_what_generate_does_and_takes_a_report_and_a_workflow() -> None:
    generate, repair = action("generate"), action("repair")
    for name, variable in ITS_OWN.items():
        assert repair["inputs"].pop(name)["default"] == ""
        step = next(s for s in repair["runs"]["steps"] if s.get("id") == "work")
        assert step["env"].pop(variable) == f"${{{{ inputs.{name} }}}}"
    step["run"] = step["run"].replace(" repair", " generate")
    assert repair["inputs"] == generate["inputs"]
    assert repair["runs"] == generate["runs"]
    assert repair["outputs"].keys() == generate["outputs"].keys()
