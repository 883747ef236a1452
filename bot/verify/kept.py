"""Whether a change keeps the interfaces that code has: every call that fitted before fits after.

Others use code that the bot did not write, and not all of them are in its repository.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.spec.model import Location, Parameter, Spec
from bot.state.extract import extract_nodes
from bot.state.grown import is_public
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.reconcile import change_of, reconcile, signature
from bot.state.signatures import accepts
from bot.verify.evidence import Evidence, Rule, Tool
from bot.verify.usage import verify_usage

_RECEIVERS = ("self", "cls")
_KINDS = ("property", "classmethod", "staticmethod")


def verify_kept(
    before: ProjectState, changed: Mapping[str, str], paths: Collection[str], spec: Spec
) -> list[Evidence]:
    """Interfaces of `before` that the changed files (path -> source) break, and uses by the tests
    that no longer fit; `paths` are all files of the tree. An interface that a test's call did not
    fit before may be changed: the tests ask for it."""
    uses = {e.detail: e for e in verify_usage(spec, before)}
    wanted = {e.subject.rpartition(".")[2] for e in uses.values()}
    found = [
        fault
        for path, source in sorted(changed.items())
        if path.endswith(".py")
        for fault in _in_file(before, path, source, wanted)
    ]
    after, _ = reconcile(before, change_of(changed, paths, before))
    realized = after.model_copy(update={"nodes": tuple(n for n in after.nodes if _there(n))})
    return [*found, *(e for e in verify_usage(spec, realized) if e.detail not in uses)]


def _there(node: Node) -> bool:
    return node.realized or node.kind is NodeKind.MODULE


def _in_file(
    before: ProjectState, path: str, source: str, wanted: Collection[str]
) -> Iterator[Evidence]:
    try:
        now = {n.id: n for n in extract_nodes(path, source)}
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in before.inside(path):
        mine = node.kind in (NodeKind.CLASS, NodeKind.FUNCTION) and is_public(node)
        owner = node.qualname.rpartition(".")[0].rpartition(".")[2]
        if not mine or {node.name, owner} & set(wanted):
            continue
        after = now.get(node.id)
        if after is None:
            # What a class no longer defines may come from a base of it.
            if node.parent == path:
                yield _fault(node, Rule.NOT_DEFINED, f"takes away `{signature(node)}`")
        elif why := _broken(node, after):
            yield _fault(node, Rule.CALL, f"changes `{signature(node)}` so that it {why}")


def _fault(node: Node, rule: Rule, what: str) -> Evidence:
    return Evidence(
        tool=Tool.INTERFACE,
        rule=rule,
        subject=node.id,
        verdict="fault",
        detail=f"it {what} in `{node.path}`, which others may use as it is",
        location=Location(file=node.path),
    )


def _broken(before: Node, after: Node) -> str:
    """Why not all that could be done with one can be done with the other; "" where it can."""
    if before.kind is not after.kind:
        return f"is no {before.kind.value} any more"
    if before.kind is NodeKind.CLASS:
        return ""
    for kind in _KINDS:
        if (kind in before.decorators) != (kind in after.decorators):
            return f"is no {kind} any more" if kind in before.decorators else f"is a {kind} now"
    if before.is_async != after.is_async:
        return "has to be awaited" if after.is_async else "cannot be awaited any more"
    return _unfit(before.parameters or (), after.parameters or ())


def _unfit(before: tuple[Parameter, ...], after: tuple[Parameter, ...]) -> str:
    """Why some call that fits the parameters `before` does not fit those `after`."""
    order = [p.name for p in _slots(after)]
    for place, parameter in enumerate(_slots(before)):
        if parameter.name in order and order.index(parameter.name) != place:
            return f"takes `{parameter.name}` at another place"
    calls = (c for c in _calls(before) if not accepts(before, *c))
    return next(filter(None, (accepts(after, *call) for call in calls)), "")


def _calls(parameters: Sequence[Parameter]) -> Iterator[tuple[int, list[str]]]:
    """Calls, as counts of positional arguments and names of the others, that between them use each
    parameter in each way."""
    slots = _slots(parameters)
    plain = [p for p in parameters if _is_plain(p) and p.name not in _RECEIVERS]
    others = [p for p in plain if p not in slots]
    needed = [p.name for p in others if p.default is None]
    for count in range(len(slots) + 1):
        yield count, [*(p.name for p in slots[count:] if p.default is None), *needed]
    least = next((n for n, p in enumerate(slots) if p.default is not None), len(slots))
    for parameter in (*slots[least:], *others):
        yield least, list(dict.fromkeys([*needed, parameter.name]))
    if any(p.star == "*" for p in parameters):
        yield len(slots) + 1, needed
    if any(p.star == "**" for p in parameters):
        yield least, [*needed, "any_other_keyword"]


def _slots(parameters: Sequence[Parameter]) -> list[Parameter]:
    """The parameters that take positional arguments, the receiver left out."""
    found: list[Parameter] = []
    for parameter in parameters:
        if parameter.name == "*" or parameter.star:
            break
        if _is_plain(parameter) and parameter.name not in _RECEIVERS:
            found.append(parameter)
    return found


def _is_plain(parameter: Parameter) -> bool:
    return not parameter.star and parameter.name not in ("*", "/")
