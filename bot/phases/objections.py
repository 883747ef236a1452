"""What speaks against a repair of code that the bot did not write, before it is pushed."""

from collections.abc import Callable, Collection, Mapping
from pathlib import PurePosixPath

from bot.phases.run import RunState
from bot.phases.texts import say
from bot.phases.writing import judge_statically
from bot.spec.model import Spec
from bot.verify.evidence import Rule
from bot.verify.kept import verify_kept

# What cannot be right in anybody's code; the gate's other rules hold for code that is written to
# them.
_CERTAIN = (Rule.SYNTAX, Rule.UNDEFINED_NAME, Rule.MISPLACED, Rule.FORMAT, Rule.IMPORT)


def objection(
    state: RunState, spec: Spec, files: Mapping[str, str], faults: Collection[str]
) -> Callable[[Mapping[str, str]], str]:
    """Says why changed files (path -> text) cannot be taken, "" where they can: a new one stands
    among the tests, where it could take the place of what they import; they break what others may
    use, the tests among them; or the static gate finds more than `faults`, which it found in
    `files`, the tree of the best commit with which the state is reconciled."""
    beside = {PurePosixPath(f.path).parent for f in spec.check_tests} - {PurePosixPath()}

    def object_to(changed: Mapping[str, str]) -> str:
        new = (path for path in changed if path not in files)
        among = next((p for p in new if not beside.isdisjoint(PurePosixPath(p).parents)), "")
        if among:
            return say("objection_among_tests", path=among)
        after = {**files, **changed}
        broken = verify_kept(state.project, changed, after, spec)
        if broken:
            return broken[0].detail
        found = (e for e in judge_statically(state, after) if e.rule in _CERTAIN)
        fault = next((e.detail for e in found if e.detail not in faults), "")
        return say("objection_gate", fault=fault) if fault else ""

    return object_to
