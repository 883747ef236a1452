"""Which file of the tree a document means when it names one by half its path, or wrongly."""

from difflib import SequenceMatcher
from typing import NamedTuple

from bot.spec.texts import squash

_ALIKE = 0.78
_MOST_FILES = 1_000
_MOST_GUESSES = 300


class Resolved(NamedTuple):
    """`how` is exact (as in the tree), alike (spelt otherwise in the tree) or new."""

    path: str
    how: str


class Resolver:
    """Finds files of the tree; remembers which have been described. In trees of more than 1,000
    files, and after 300 wrong names, nothing is guessed."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths
        self.described: set[str] = set()
        self.known = frozenset(paths)
        self.roots = {p.partition("/")[0] for p in paths if "/" in p}
        self.root = next(iter(self.roots)) if len(self.roots) == 1 else ""
        self.guesses = 0
        self.by_name: dict[str, list[str]] = {}
        for path in paths:
            self.by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def resolve(self, name: str, folder: str = "") -> Resolved:
        """The path meant by `name`, written below `folder`."""
        name = name.strip().replace("\\", "/").removeprefix("./").lstrip("/")
        for wanted in dict.fromkeys(filter(None, (f"{folder}/{name}" if folder else "", name))):
            found = self._known(wanted, folder)
            if found:
                return self._take(found, "exact")
        alike = self._alike(f"{folder}/{name}" if folder else name)
        if alike:
            return self._take(alike, "alike")
        return self._take(self._new(name, folder), "new")

    def undescribed(self) -> list[str]:
        """Python files of the tree that nothing has been said of, as long as guessing is cheap."""
        self.guesses += 1
        if len(self.paths) > _MOST_FILES or self.guesses > _MOST_GUESSES:
            return []
        return [p for p in self.paths if p not in self.described and p.endswith(".py")]

    def _take(self, path: str, how: str) -> Resolved:
        self.described.add(path)
        return Resolved(path, how)

    def _known(self, wanted: str, folder: str) -> str:
        if wanted in self.known:
            return wanted
        same = self.by_name.get(wanted.rpartition("/")[2], [])
        ends = [p for p in same if p.endswith(f"/{wanted}")]
        if len(ends) > 1:
            fresh = [p for p in ends if p not in self.described] or ends
            hinted = [p for p in fresh if folder and f"/{folder}/" in f"/{p}"] or fresh
            return min(hinted, key=lambda p: (p.count("/"), p))
        return ends[0] if ends else ""

    def _alike(self, wanted: str) -> str:
        """A file of the tree spelt almost so, not yet described: `util.py` for `utils.py`."""
        parts = wanted.split("/")
        best, best_score = "", _ALIKE
        suffix = wanted.rpartition(".")[2]
        self.guesses += 1
        if len(self.paths) > _MOST_FILES or self.guesses > _MOST_GUESSES:
            return ""
        for path in self.paths:
            if path in self.described or path.rpartition(".")[2] not in (suffix, "py"):
                continue
            score = _likeness(parts, path.split("/"))
            if score > best_score:
                best, best_score = path, score
        return best

    def _new(self, name: str, folder: str) -> str:
        path = f"{folder}/{name}" if folder else name
        first = path.partition("/")[0]
        if self.root and first not in self.roots:
            return f"{self.root}/{path}"
        return path


def _likeness(wanted: list[str], path: list[str]) -> float:
    """How alike the file names are, halved where the folders that both give differ much."""
    name, other = squash(wanted[-1]), squash(path[-1])
    score = SequenceMatcher(None, name, other).ratio()
    if wanted[-1].endswith(".py") != path[-1].endswith(".py") and name != other:
        score -= 0.1
    if len(wanted) > 1 and len(path) > 1:
        folders = SequenceMatcher(None, squash(wanted[-2]), squash(path[-2])).ratio()
        return score * (0.5 + 0.5 * folders)
    return score
