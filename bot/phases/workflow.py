"""The check workflow that a repository needs, and whether its branch has it."""

from bot.config import CheckSettings
from bot.phases.run import RunState
from bot.phases.services import Services


def workflow_path(checks: CheckSettings) -> str:
    """Where the workflow stands in the repository."""
    return f".github/workflows/{checks.workflow}"


def check_workflow(state: RunState, services: Services) -> str:
    """The workflow with the settings that are not its action's defaults as inputs."""
    checks, standard = state.settings.checks, CheckSettings()
    inputs = {
        "test-seconds": (checks.test_seconds, standard.test_seconds),
        "total-seconds": (checks.total_seconds, standard.total_seconds),
        "memory": (checks.memory, standard.memory),
        "settings": (checks.settings, standard.settings),
        "extras": (" ".join(checks.extras), ""),
        "artifact-name": (checks.artifact, standard.artifact),
    }
    lines = [
        f"          {name}: {value!r}" for name, (value, usual) in inputs.items() if value != usual
    ]
    if not lines:
        return services.check_workflow
    return services.check_workflow.rstrip("\n") + "\n        with:\n" + "\n".join(lines) + "\n"


def missing_workflow(state: RunState, services: Services) -> str:
    """The text of the workflow where the head commit lacks it, else ""."""
    if not state.head or workflow_path(state.settings.checks) in services.git.read(state.head):
        return ""
    return check_workflow(state, services)
