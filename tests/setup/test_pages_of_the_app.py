"""What is written down about the App and the settings is what the code asks for."""

import json
from pathlib import Path

from typer.testing import CliRunner

from bot.cli import app
from bot.config import Settings
from bot.repoconfig.ceiling import may_set
from bot.setup.app import app_needs, manifest

ROOT = Path(__file__).parent.parent.parent


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["settings", *arguments])
    assert result.exit_code == 0
    return result.stdout


def test_the_configuration_page_is_fresh() -> None:
    """Else: repowright settings --markdown > docs/configuration.md"""
    assert (ROOT / "docs" / "configuration.md").read_text("utf-8") == printed("--markdown")


def test_every_setting_has_a_meaning() -> None:
    for line in printed("--markdown").splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert any(cell.endswith(".") for cell in cells), line


def test_the_schema_holds_what_a_repository_may_set_and_nothing_else() -> None:
    schema = json.loads(printed("--schema"))
    assert schema["additionalProperties"] is False
    for setting in may_set():
        table = schema
        for name in setting.path:
            table = table["properties"][name]
        assert table["description"]
    assert "endpoint" not in schema["properties"]
    assert schema["properties"]["gates"]["items"]["enum"] == ["architecture", "skeleton"]
    groups = {s.path[0] for s in may_set()}
    assert set(schema["properties"]) == groups
    assert groups < set(Settings.model_fields)


def test_the_serving_page_explains_each_permission_and_names_each_event() -> None:
    page = (ROOT / "docs" / "serving.md").read_text("utf-8")
    for permission in app_needs().permissions:
        name = permission.name.replace("_", " ")
        assert f"| {name}: {permission.level} | {permission.why}" in page
    events = ", ".join(e.name.replace("_", " ").capitalize() for e in app_needs().events)
    assert f"Events: {events}." in page


def test_the_manifest_in_deploy_is_what_the_set_up_page_sends() -> None:
    host = "https://YOUR-HOST"
    expected = manifest(
        name="repowright",
        home=host,
        webhook=f"{host}/webhook",
        redirect=f"{host}/setup/registered",
        installed=f"{host}/setup/installed",
    )
    assert json.loads((ROOT / "deploy" / "app-manifest.json").read_text("utf-8")) == expected


def test_the_table_is_for_people() -> None:
    assert "budget.usd" in printed()
    assert "sweep_minutes" in printed("--server")
