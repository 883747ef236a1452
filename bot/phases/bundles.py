"""Which files are written in one model call: as few calls as keep the longest file the longest
call, so that fewer tokens are read and nothing takes longer."""

from collections.abc import Mapping
from pathlib import PurePosixPath

# What two files of one folder have in common where no relation is known.
_NEIGHBOURS = 0.1


def bundles(
    sizes: Mapping[str, int], related: Mapping[tuple[str, str], float] | None = None
) -> list[tuple[str, ...]]:
    """Paths grouped by decreasing size; no group is larger than the largest file, so the time of
    all groups at once is bounded as that of all files at once. Of the groups with room a file
    joins the one that it has most to do with: `related` is the strength of relations between two
    paths, 0 to 1. Sizes are in any unit."""
    capacity = max(sizes.values(), default=0)
    groups: list[list[str]] = []
    for path in sorted(sizes, key=lambda p: (-sizes[p], p)):
        fitting = [g for g in groups if sum(sizes[p] for p in g) + sizes[path] <= capacity]
        if fitting:
            max(fitting, key=lambda g: _affinity(path, g, related or {})).append(path)
        else:
            groups.append([path])
    return [tuple(sorted(group)) for group in groups]


def _affinity(path: str, group: list[str], related: Mapping[tuple[str, str], float]) -> float:
    """How much a file has to do with those of a group; the first of equals is chosen."""
    known = sum(related.get((path, p), 0.0) + related.get((p, path), 0.0) for p in group)
    near = sum(PurePosixPath(path).parent == PurePosixPath(p).parent for p in group)
    return known + _NEIGHBOURS * near
