"""Predicted relations (E, III-B): what files will use of each other, read from the imports of a
skeleton, names that cross files, messages and arrows of the diagrams, and what nodes say they do.
"""

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Set

from bot.spec.model import Spec
from bot.state.guesses import NAME, bare_packages, homes_at_top, predicted
from bot.state.guesses_in_diagrams import arrows, messages, replaced
from bot.state.guesses_in_texts import similar, symbols
from bot.state.model import Node, NodeKind, ProjectState, Relation, RelationKind
from bot.state.participants import Cast
from bot.state.reconcile import change_of
from bot.syntax import parse

SIGNALS = ("import", "symbol", "sequence", "diagram", "tests", "similarity")


def predict(state: ProjectState, skeleton: Mapping[str, str], spec: Spec) -> tuple[Relation, ...]:
    """Every predicted relation with its signal and weight, sorted; one relation may stand there
    once for each signal."""
    change = change_of(skeleton, skeleton, state)
    nodes = {n.id: n for n in (*state.nodes, *change.nodes)}
    cast = Cast(nodes.values())
    imports = [
        r.model_copy(update={"origin": "predicted", "signal": "import"}) for r in change.relations
    ]
    guessed = [
        *symbols(nodes),
        *messages(spec, cast),
        *arrows(spec, cast, bare_packages(nodes.values())),
        *replaced(spec, nodes),
        *similar(nodes),
    ]
    best: dict[tuple[str, str, str, str], Relation] = {}
    planned = _with_planned_imports(skeleton)
    reached = _reached(nodes, imports, planned)
    for r in (*imports, *reached, *_weighed(guessed, imports, planned)):
        key = (r.source, r.target, r.kind, r.signal)
        if r.files[0] != r.files[1] and (key not in best or best[key].weight < r.weight):
            best[key] = r
    return tuple(best[key] for key in sorted(best))


# How much a guess is worth where the file's imports already stand for bodies that are to come,
# and where an import runs the other way. Both measured on the public tasks (`bench relations`).
_BESIDE_IMPORTS = 0.55
_AGAINST_IMPORT = 0.5


def _weighed(
    guessed: Iterable[Relation], imports: Iterable[Relation], planned: Set[str]
) -> Iterator[Relation]:
    """Guesses made weaker where the skeleton's imports speak against them."""
    known = {r.files for r in imports}
    for r in guessed:
        source, target = r.files
        weight = r.weight
        if r.files not in known:
            weight *= _BESIDE_IMPORTS if source in planned else 1
            weight *= _AGAINST_IMPORT if (target, source) in known else 1
        yield r.model_copy(update={"weight": round(weight, 4)})


def _with_planned_imports(skeleton: Mapping[str, str]) -> frozenset[str]:
    """Files that import more than their skeleton needs: somebody has thought of their bodies.
    Quoted names count as needed: those of annotations, and those in `__all__`."""
    found: set[str] = set()
    for path, source in skeleton.items():
        try:
            tree = parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        bound = {
            (a.asname or a.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            and getattr(node, "module", "") != "__future__"
            for a in node.names
        }
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        quoted = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        if bound - used - quoted:
            found.add(path)
    return frozenset(found)


def strength(relations: Iterable[Relation]) -> dict[tuple[str, str], float]:
    """(file, file) -> how sure it is that the first uses the second: relations of different
    signals add up as independent evidence, those of one signal do not."""
    by_signal: dict[tuple[str, str], dict[str, float]] = {}
    for r in relations:
        of = by_signal.setdefault(r.files, {})
        of[r.signal] = max(of.get(r.signal, 0.0), r.weight)
    return {
        pair: 1 - math.prod(1 - weight for weight in of.values()) for pair, of in by_signal.items()
    }


def _reached(
    nodes: Mapping[str, Node], imports: Iterable[Relation], planned: Set[str]
) -> Iterator[Relation]:
    """Classes behind what a file imports: the bases of a class, and what a variable holds or a
    function gives. Their members are used without their names being written; a package that
    hands on what it imports uses none."""
    homes = homes_at_top(nodes.values())
    known: dict[str, tuple[str, ...]] = {}
    busy = {n.path for n in nodes.values() if n.kind in (NodeKind.FUNCTION, NodeKind.CLASS)}
    for r in imports:
        if r.files[0].endswith("__init__.py") and r.files[0] not in busy:
            continue
        if r.target not in known:
            known[r.target] = _closure(r.target, nodes, homes)
        weight = 0.55 if r.files[0] in planned else 0.45
        for target in known[r.target]:
            yield predicted(r.source, target, RelationKind.USE, "symbol", weight)


# Farther away than this, classes are no longer used through what a file imports.
_STEPS = 2


def _closure(start: str, nodes: Mapping[str, Node], homes: Mapping[str, str]) -> tuple[str, ...]:
    """The classes behind a node, and behind those, some steps far."""
    seen = {start: None}
    edge = [start]
    for _ in range(_STEPS):
        named = [name for i in edge if i in nodes for name in _behind(nodes[i])]
        found = dict.fromkeys(homes[name] for name in named if name in homes)
        edge = [i for i in found if i not in seen]
        seen.update(dict.fromkeys(edge))
    return tuple(seen)[1:]


def _behind(node: Node) -> Iterator[str]:
    """Names of the classes through which what a node stands for is used."""
    if node.kind is NodeKind.CLASS:
        texts = [*node.bases, *(a.annotation for a in node.attributes)]
    else:
        texts = [node.annotation, node.returns]
    for text in filter(None, texts):
        yield from NAME.findall(text)


DECAY = 0.3


def weighted(state: ProjectState, iteration: int) -> tuple[Relation, ...]:
    """What retrieval at an iteration (from 1) goes by: realized relations with weight 1, and
    predicted ones that the code does not contradict, fading with each iteration."""
    fading = DECAY ** (max(iteration, 1) - 1)
    kept = (
        r.model_copy(update={"weight": r.weight * fading})
        for r in _uncontradicted(state.predicted, state)
    )
    return (*state.realized, *kept)


def _uncontradicted(predicted: Iterable[Relation], state: ProjectState) -> Iterator[Relation]:
    """Code contradicts a prediction where it has lost the target, takes a name of that kind from
    another file, or imports in the other direction alone."""
    ids = {n.id for n in state.nodes}
    running = {r.files for r in state.realized if r.signal != "typing"}
    homes: dict[tuple[str, str], set[str]] = {}
    for r in state.realized:
        name = r.target.rpartition("::")[2]
        homes.setdefault((r.files[0], name), set()).add(r.files[1])
    for r in predicted:
        source, target = r.files
        name = r.target.partition("::")[2]
        elsewhere = homes.get((source, name), {target}) if name else {target}
        backwards = (target, source) in running and (source, target) not in running
        if r.target in ids and target in elsewhere and not backwards:
            yield r
