"""Relations guessed from words: names that texts, signatures and exports mention, what packages
hand on, and nodes that say similar things."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from bot.state.guesses import NAME, bare_packages, homes_at_top, predicted
from bot.state.model import Node, NodeKind, Relation, RelationKind

# Names in texts: in backquotes, called, or written as no English word is.
_MARKED = re.compile(r"`~?([\w.]+)(?:\(\))?`|\b([A-Za-z_]\w*)\(\)")
_FILE = re.compile(r"\b\w+\.py\b")
_CODE_LIKE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[a-z0-9]_[a-z0-9]")


def symbols(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """Names that one file alone defines and another one's texts, exports, parameters or attributes
    mention."""
    homes = homes_at_top(nodes.values())
    files = _files(nodes)
    for node in nodes.values():
        if not node.path.endswith(".py"):
            continue
        for name, weight in _mentions(node):
            target = homes.get(name)
            if target is not None:
                yield predicted(node.id, target, RelationKind.USE, "symbol", weight)
        for name, weight in _told(node):
            target = files.get(name, homes.get(name))
            if target is None or _is_product(name, node.path) or _is_migration(node.path):
                continue
            ends = (target, node.id) if _is_fault(node) else (node.id, target)
            yield predicted(*ends, RelationKind.USE, "symbol", weight)
    yield from _delegated(nodes)
    yield from _gathered(nodes)
    yield from _within_packages(nodes)


def _files(nodes: Mapping[str, Node]) -> dict[str, str]:
    """File name -> path, for names that one file alone has."""
    found: dict[str, list[str]] = {}
    for node in nodes.values():
        if node.kind is NodeKind.FILE and node.name.endswith(".py"):
            found.setdefault(node.name, []).append(node.path)
    return {name: paths[0] for name, paths in found.items() if len(paths) == 1}


def _is_product(name: str, path: str) -> bool:
    """Whether a word is the name of the whole product, which texts use for more than its class."""
    return name.lower() == path.removeprefix("src/").partition("/")[0].replace("_", "")


def _is_migration(path: str) -> bool:
    """Whether a file changes a database: it works with models as they were, and imports none
    (https://docs.djangoproject.com/en/stable/topics/migrations/#historical-models)."""
    return "/migrations/" in path


def _is_fault(node: Node) -> bool:
    """Whether a node is an exception: what its description names raises it, not the other way."""
    names = (node.name, *node.bases)
    return node.kind is NodeKind.CLASS and any(_FAULT.search(n) for n in names)


_FAULT = re.compile(r"(?:Error|Exception|Warning)$")
_GATHERS = re.compile(r"\b[Rr]e-?exports?\b|\bpublic (?:interface|API)\b")


def _within_packages(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """A command line uses the package around it, and a package with code of its own uses the
    module that bears its name."""
    bare = bare_packages(nodes.values())
    for node in nodes.values():
        folder, _, name = node.path.rpartition("/")
        init = f"{folder}/__init__.py"
        if node.kind is not NodeKind.FILE or init not in nodes or name == "__init__.py":
            continue
        main = name == "__main__.py" and f"{folder}/cli.py" not in nodes
        if name == "cli.py" or main:
            yield predicted(node.path, init, RelationKind.USE, "symbol", 0.55)
        elif name == f"{folder.rpartition('/')[2]}.py" and init not in bare:
            yield predicted(init, node.path, RelationKind.USE, "symbol", 0.55)


def _gathered(nodes: Mapping[str, Node]) -> Iterator[Relation]:
    """A package that re-exports, and does not say what, takes from each module beside it."""
    for init in nodes.values():
        if init.name != "__init__.py" or not _GATHERS.search(init.purpose):
            continue
        folder = init.path.removesuffix("__init__.py")
        for node in nodes.values():
            beside = node.path.startswith(folder) and "/" not in node.path[len(folder) :]
            if node.kind is NodeKind.FILE and beside and not node.name.startswith("__main"):
                yield predicted(init.path, node.path, RelationKind.USE, "symbol", 0.55)


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
                yield predicted(node.id, below[0], RelationKind.CALL, "symbol", 0.6)


def _told(node: Node) -> Iterator[tuple[str, float]]:
    """Names in what a node is said to do, those of files included."""
    for a, b in _MARKED.findall(node.purpose):
        yield from ((part, 0.6) for part in (a or b).split("."))
    for name in _FILE.findall(node.purpose):
        yield name, 0.6
    for name in NAME.findall(node.purpose):
        if _CODE_LIKE.search(name):
            yield name, 0.6
        elif name[:1].isupper():
            yield name, 0.3


def _mentions(node: Node) -> Iterator[tuple[str, float]]:
    """Names in the signature of a node and in what it exports."""
    if node.name == "__all__":
        yield from ((name, 0.9) for name in NAME.findall(node.value or ""))
    written = [node.annotation, node.returns, *(p.annotation for p in node.parameters or ())]
    written += [a.annotation for a in node.attributes]
    for text in (*filter(None, written), *node.bases, *node.decorators):
        yield from ((name, 0.8) for name in NAME.findall(text))
    given = [*(p.name for p in node.parameters or ()), *(a.name for a in node.attributes)]
    for name in given:
        yield "".join(w.capitalize() for w in name.strip("_").split("_")), 0.3


def similar(nodes: Mapping[str, Node]) -> Iterator[Relation]:
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
                yield predicted(one, other, RelationKind.USE, "similarity", 0.4 * min(value, 1.0))


# A word of more files than this share tells none from another.
_TOO_COMMON = 0.5


def _words(text: str) -> Iterator[str]:
    for name in NAME.findall(text):
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
