"""The run's ref: everything a run is, as the files of one commit a leg (design 2)."""

import json
from collections.abc import Mapping

from pydantic import ValidationError

from bot.phases.run import RunState
from bot.phases.services import Services
from bot.ports.git import GitError
from bot.spec.model import Spec
from bot.state.reconcile import Drift, drift_of

STATE = "state.json"
FEEDBACK = "feedback.json"
DRIFT = "drift.diff"
SPEC = "spec/spec.json"


class StateUnreadable(GitError):
    """A run's ref holds no state that can be read."""


class StateNewer(GitError):
    """A newer version of the bot wrote the state: this one would lose what it does not know."""


def save(state: RunState, spec: Spec, services: Services) -> None:
    """Add one commit to the run's ref, pushed."""
    files: dict[str, bytes] = {
        STATE: _json(state.model_dump_json(indent=1)),
        FEEDBACK: _json(state.project.feedback.model_dump_json(indent=1)),
        DRIFT: drift_lines(drift_of(state.project)).encode(),
        SPEC: _json(spec.model_dump_json(indent=1)),
        **_documents(spec),
        **services.record.files(),
    }
    services.git.save_ref(
        state.ref,
        files,
        message=f"Leg {state.legs}: {state.phase.value} {state.iteration}",
        mark=state.mark(f"leg.{state.legs}"),
    )


def drift_lines(drift: Drift) -> str:
    """Plan against code, one line for each node that differs, in order of node, so that `git diff`
    between two legs shows what one iteration changed: `-` is planned and not realized, `+` realized
    and not planned, `!` has another interface."""
    changed = {c.node: f"{c.node}: {c.planned} => {c.realized}" for c in drift.changed}
    lines = [
        *((node, "-", node) for node in drift.not_realized),
        *((node, "+", node) for node in drift.not_planned),
        *((node, "!", text) for node, text in changed.items()),
    ]
    return "".join(f"{sign} {' '.join(text.split())}\n" for _, sign, text in sorted(lines))


def _json(text: str) -> bytes:
    return text.encode() + b"\n"


def _documents(spec: Spec) -> dict[str, bytes]:
    """The documents as the author wrote them, for people who read the ref."""
    out: dict[str, bytes] = {}
    for number, document in enumerate(spec.documents):
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in document.file)[-80:]
        out[f"spec/{number:02d}-{name}"] = document.text.encode()
    return out


def load(files: Mapping[str, bytes], ref: str) -> tuple[RunState, Spec]:
    """State and spec from the files of a run's ref; raise StateUnreadable where they cannot
    be read, StateNewer where they say more than this version knows."""
    try:
        state = RunState.model_validate_json(files[STATE])
        json.loads(files[STATE], parse_constant=_no_number)
        return state, Spec.model_validate_json(files[SPEC])
    except (KeyError, ValueError) as error:
        if isinstance(error, ValidationError) and _says_more(error):
            raise StateNewer(
                "a newer version of the bot works on this run",
                where=ref,
                hint="upgrade this one too; the run goes on in workers of the newer version",
            ) from error
        raise StateUnreadable(
            "the run's state cannot be read",
            where=ref,
            hint="it was written by another version, or by somebody else",
        ) from error


def _says_more(error: ValidationError) -> bool:
    """Whether the only fault is fields without a name here."""
    return all(fault["type"] == "extra_forbidden" for fault in error.errors())


def _no_number(name: str) -> None:
    """A limit that is compared with NaN never trips; we write none."""
    raise ValueError(f"{name} is no number")
