"""Which files are written in one model call: as few calls as keep the longest file the longest
call, so that fewer tokens are read and nothing takes longer."""

from collections.abc import Mapping


def bundles(sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Paths grouped by first-fit decreasing; no group is larger than the largest file, so the
    time of all groups at once is bounded as that of all files at once. Sizes are in any unit."""
    capacity = max(sizes.values(), default=0)
    groups: list[list[str]] = []
    room: list[int] = []
    for path in sorted(sizes, key=lambda p: (-sizes[p], p)):
        fitting = next((i for i, left in enumerate(room) if sizes[path] <= left), None)
        if fitting is None:
            groups.append([path])
            room.append(capacity - sizes[path])
        else:
            groups[fitting].append(path)
            room[fitting] -= sizes[path]
    return [tuple(sorted(group)) for group in groups]
