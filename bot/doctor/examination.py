"""All that the doctor looks at, in the order in which a person would mend it."""

from collections.abc import Mapping

from bot.doctor.finding import Finding, Status
from bot.doctor.github import examine_github
from bot.doctor.machine import examine_machine
from bot.doctor.model import examine_model
from bot.doctor.storage import examine_storage
from bot.serverconfig import ServerSettings


def examine(settings: ServerSettings, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """What is configured is tried for real; what is not is skipped with the reason."""
    return (
        *examine_machine(settings.data),
        *examine_storage(settings),
        *examine_github(settings, environ),
        examine_model(settings.backend, settings.run, environ),
    )


def is_well(findings: tuple[Finding, ...]) -> bool:
    return all(f.status is not Status.FAIL for f in findings)
