"""What speaks against a repair of code that the bot did not write, before it is pushed."""

from collections.abc import Callable, Mapping

from bot.phases.run import RunState
from bot.phases.texts import say
from bot.phases.writing import judge_statically
from bot.spec.model import Spec
from bot.verify.kept import verify_kept


def objection(
    state: RunState, spec: Spec, files: Mapping[str, str]
) -> Callable[[Mapping[str, str]], str]:
    """Says why changed files (path -> text) cannot be taken, "" where they can: they break what
    others may use, the tests among them, or the static gate finds what it did not find in `files`,
    the tree of the best commit with which the state is reconciled."""
    before = {e.detail for e in judge_statically(state, files)}

    def object_to(changed: Mapping[str, str]) -> str:
        broken = verify_kept(state.project, changed, {**files, **changed}, spec)
        if broken:
            return broken[0].detail
        new = (e for e in judge_statically(state, {**files, **changed}) if e.detail not in before)
        fault = next(new, None)
        return say("objection_gate", fault=fault.detail) if fault is not None else ""

    return object_to
