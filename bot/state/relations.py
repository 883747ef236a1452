"""Predicted relations (E, III-B): what files will use of each other, read from the imports of a
skeleton, names that cross files, messages and arrows of the diagrams, and what nodes say they do.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from bot.spec.model import RelationKind as Arrow
from bot.spec.model import Spec
from bot.state.model import Node, NodeKind, ProjectState, Relation, RelationKind
from bot.state.participants import Cast
from bot.state.reconcile import change_of
from bot.syntax import parse

SIGNALS = ("import", "symbol", "sequence", "diagram", "similarity")


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
        *_symbols(nodes),
        *_messages(spec, cast),
        *_arrows(spec, cast),
        *_similar(nodes),
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
    """Files that import more than their skeleton needs: somebody has thought of their bodies."""
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
        if bound - used:
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


def _predicted(
    source: str, target: str, kind: RelationKind, signal: str, weight: float
) -> Relation:
    return Relation(
        source=source,
        target=target,
        kind=kind,
        origin="predicted",
        signal=signal,
        weight=round(weight, 4),
    )


# Names in texts: in backquotes, called, or written as no English word is.
_MARKED = re.compile(r"`~?([\w.]+)(?:\(\))?`|\b([A-Za-z_]\w*)\(\)")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_CODE_LIKE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[a-z0-9]_[a-z0-9]")


def _symbols(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """Names that one file alone defines and another one's texts, exports, parameters or attributes
    mention."""
    homes = _homes(nodes.values())
    for node in nodes.values():
        if not node.path.endswith(".py"):
            continue
        for name, weight in _mentions(node):
            target = homes.get(name)
            if target is not None:
                yield _predicted(node.id, target, RelationKind.USE, "symbol", weight)
    yield from _delegated(nodes)


def _delegated(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """A function of a package that bears the name of one module's function stands before it."""
    for node in nodes.values():
        folder, is_package, qualname = node.id.partition("__init__.py::")
        if is_package and node.kind is NodeKind.FUNCTION and "." not in qualname:
            below = [
                n.id
                for n in nodes.values()
                if n.id.startswith(folder) and n.qualname == qualname and n.id != node.id
            ]
            if len(below) == 1:
                yield _predicted(node.id, below[0], RelationKind.CALL, "symbol", 0.6)


def _reached(
    nodes: Mapping[str, Node], imports: Iterable[Relation], planned: Set[str]
) -> Iterator[Relation]:
    """Classes behind what a file imports: the bases of a class, and what a variable holds or a
    function gives. Their members are used without their names being written."""
    homes = _homes(nodes.values())
    known: dict[str, tuple[str, ...]] = {}
    for r in imports:
        if r.target not in known:
            known[r.target] = _closure(r.target, nodes, homes)
        weight = 0.55 if r.files[0] in planned else 0.45
        for target in known[r.target]:
            yield _predicted(r.source, target, RelationKind.USE, "symbol", weight)


# Farther away than this, classes are no longer used through what a file imports.
_STEPS = 4


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
        yield from _NAME.findall(text)


def _homes(nodes: Iterable[Node]) -> dict[str, str]:
    """Name at a file's top -> its id, for names that one file alone defines."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        own = node.kind is not NodeKind.GLOBAL or node.exported_from is None
        if own and "::" in node.id and node.parent == node.path and len(node.name) > 2:
            found.setdefault(node.name, []).append(node.id)
    return {name: ids[0] for name, ids in found.items() if len(ids) == 1}


def _mentions(node: Node) -> Iterator[tuple[str, float]]:
    for a, b in _MARKED.findall(node.purpose):
        yield from ((part, 0.6) for part in (a or b).split("."))
    for name in _NAME.findall(node.purpose):
        if _CODE_LIKE.search(name):
            yield name, 0.6
        elif name[:1].isupper():
            yield name, 0.3
    if node.name == "__all__":
        yield from ((name, 0.9) for name in _NAME.findall(node.value or ""))
    written = [node.annotation, node.returns, *(p.annotation for p in node.parameters or ())]
    written += [a.annotation for a in node.attributes]
    for text in (*filter(None, written), *node.bases, *node.decorators):
        yield from ((name, 0.8) for name in _NAME.findall(text))
    given = [*(p.name for p in node.parameters or ()), *(a.name for a in node.attributes)]
    for name in given:
        yield "".join(w.capitalize() for w in name.strip("_").split("_")), 0.3


def _messages(spec: Spec, cast: Cast) -> Iterator[Relation]:
    """A message A -> B : m() means that code of A calls m of B."""
    for diagram in spec.sequence_diagrams:
        titles = {p.name: (p.title, p.name) for p in diagram.participants}
        who = {name: cast.find(*said) for name, said in titles.items()}
        for message in diagram.messages:
            source = who.get(message.source)
            owner = who.get(message.target)
            if source is None or message.reply:
                continue
            called = cast.method(owner, message.method) if message.method else None
            if called is not None:
                yield _predicted(source, called, RelationKind.CALL, "sequence", 0.7)
            elif owner is not None and message.method:
                yield _predicted(source, owner, RelationKind.USE, "sequence", 0.5)


def _arrows(spec: Spec, cast: Cast) -> Iterator[Relation]:
    """Arrows of class and package diagrams."""
    for classes in spec.class_diagrams:
        for r in classes.relations:
            source, target = cast.find(r.source), cast.find(r.target)
            inherits = r.kind in (Arrow.INHERIT, Arrow.REALIZE)
            kind = RelationKind.INHERIT if inherits else RelationKind.USE
            if source is not None and target is not None:
                yield _predicted(source, target, kind, "diagram", 0.7)
    for package in spec.package_diagrams:
        titles = {n.id: cast.find(n.title, n.id) for n in package.nodes}
        for edge in package.edges:
            source, target = titles.get(edge.source), titles.get(edge.target)
            if source is not None and target is not None:
                files = source.partition("::")[0], target.partition("::")[0]
                yield _predicted(*files, RelationKind.USE, "diagram", 0.7)


def _similar(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """Files whose nodes say similar things: cosine of their words, rare words counting more
    (TF-IDF). Weak, and without a direction of its own."""
    words: dict[str, Counter[str]] = {}
    for node in nodes.values():
        if node.path.endswith(".py") and node.kind is not NodeKind.MODULE:
            words.setdefault(node.path, Counter()).update(_words(f"{node.purpose} {node.name}"))
    spread = Counter(word for counts in words.values() for word in counts)
    vectors = {path: _unit(counts, spread, len(words)) for path, counts in words.items()}
    having: dict[str, list[str]] = {}
    for path, vector in vectors.items():
        for word in vector:
            having.setdefault(word, []).append(path)
    for one, vector in vectors.items():
        cosine: dict[str, float] = {}
        for word, weight in vector.items():
            for other in having[word]:
                cosine[other] = cosine.get(other, 0.0) + weight * vectors[other][word]
        for other, value in cosine.items():
            if one != other and value >= 0.1:
                yield _predicted(one, other, RelationKind.USE, "similarity", 0.4 * min(value, 1.0))


# A word of more files than this share tells none from another.
_TOO_COMMON = 0.5


def _words(text: str) -> Iterator[str]:
    for name in _NAME.findall(text):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
        yield from (p.lower() for p in parts if len(p) > 2)


def _unit(counts: Mapping[str, int], spread: Mapping[str, int], files: int) -> dict[str, float]:
    raw = {
        word: (1 + math.log(count)) * math.log((1 + files) / spread[word])
        for word, count in counts.items()
        if spread[word] <= max(2, files * _TOO_COMMON)
    }
    length = math.sqrt(sum(v * v for v in raw.values())) or 1.0
    return {w: v / length for w, v in raw.items()}


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
