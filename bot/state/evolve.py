"""From one tree of sources to the next: only what changed is looked at, and what uses it."""

from collections.abc import Mapping

from bot.state.model import ProjectState
from bot.state.reconcile import Change, change_of


def change_between(
    before: Mapping[str, str], after: Mapping[str, str], state: ProjectState
) -> Change:
    """What has to be merged into a state that is reconciled with `before` (path -> text) to have
    it reconciled with `after`: the files that differ and those whose relations lead to them. Files
    that are gone stand in its paths without nodes. Where files come, go, or pass on names of
    others, every file is looked at, for any import may now mean something else."""
    changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
    moved = any(
        (p in before) != (p in after) or p.endswith("__init__.py")
        for p in changed
        if p.endswith(".py")
    )
    users = {r.files[0] for r in state.realized if r.files[1] in changed}
    touched = {*before, *after} if moved else changed | users
    sources = {p: after[p] for p in touched if p in after}
    change = change_of(sources, after.keys(), None if moved else state)
    return change.model_copy(update={"paths": tuple(sorted(touched))})
