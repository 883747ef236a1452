"""Planned against realized structure as a Mermaid picture for the pull request's description.

Mermaid draws at most 50,000 characters and 500 arrows where a page does not say otherwise, and
GitHub's does not (https://mermaid.js.org/config/schema-docs/config.html); what people can take in
is far less.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from enum import StrEnum
from pathlib import PurePosixPath

from bot.base import Data
from bot.markdown import fence
from bot.phases.texts import page, say
from bot.state.model import Node, ProjectState
from bot.state.reconcile import drift_of
from bot.state.relations import strength

_MOST_BOXES = 40
_MOST_ARROWS = 120
_LONGEST_NAME = 60
# From this strength on a relation counts as predicted; the same as in `bench relations`.
_SURE = 0.5

Pair = tuple[str, str]


class Standing(StrEnum):
    """Where a file stands between plan and code; each has its own shape, label and style."""

    BOTH = "both"
    PLANNED = "planned"
    ADDED = "added"


_SHAPES: Mapping[Standing, Pair] = {
    Standing.BOTH: ("[", "]"),
    Standing.PLANNED: ("([", "])"),
    Standing.ADDED: ("{{", "}}"),
}


class Box(Data):
    """A file, or all files of a folder. `group` is the folder that it is drawn in, "" for none."""

    key: str
    name: str
    group: str = ""
    standing: Standing
    remarks: tuple[str, ...] = ()


def picture(project: ProjectState) -> str:
    """The picture and its legend, safe Markdown; "" where no file is known. It shows files with
    what they use of each other, or folders where there would be too many boxes or arrows."""
    files = {n.path: n for n in project.python_files()}
    if not files:
        return ""
    solid = {r.files for r in project.realized}
    sure = strength(project.predicted)
    dotted = {pair for pair, value in sure.items() if value >= _SURE}
    boxes = _of_files(files.values(), project)
    gathered = len(boxes) > _MOST_BOXES or len(_inside(solid, files.keys())) > _MOST_ARROWS
    if gathered:
        home = _homes(files)
        boxes = _of_folders(boxes, home)
        solid, dotted = _moved(solid, home), _moved(dotted, home)
    keys = {b.key for b in boxes}
    arrows = _inside(solid, keys), _inside(dotted - solid, keys)
    left = max(0, sum(map(len, arrows)) - _MOST_ARROWS)
    legend = [say("picture_legend")]
    legend += [say("picture_folders")] if gathered else []
    legend += [say("picture_left", arrows=left)] if left else []
    return f"{fence(_drawn(boxes, *arrows), 'mermaid')}\n\n{' '.join(legend)}"


def _of_files(files: Iterable[Node], project: ProjectState) -> list[Box]:
    drift = drift_of(project)
    nodes = [*drift.not_realized, *drift.not_planned, *(c.node for c in drift.changed)]
    inside = Counter(n.partition("::")[0] for n in nodes if "::" in n)
    boxes: list[Box] = []
    for file in files:
        standing = _standing(file)
        differ = inside[file.path] if standing is Standing.BOTH else 0
        remarks = [say(f"picture_{standing.value}")] if standing is not Standing.BOTH else []
        remarks += [say("picture_differ", count=differ)] if differ else []
        boxes.append(
            Box(
                key=file.path,
                name=file.name,
                group=_folder(file.path),
                standing=standing,
                remarks=tuple(remarks),
            )
        )
    return boxes


def _standing(file: Node) -> Standing:
    """A package's `__init__` comes with its files, asked for or not."""
    if not file.realized:
        return Standing.PLANNED
    expected = file.asked or file.name == "__init__.py"
    return Standing.BOTH if expected else Standing.ADDED


def _folder(path: str) -> str:
    folder = str(PurePosixPath(path).parent)
    return "" if folder == "." else folder


def _homes(files: Iterable[str]) -> dict[str, str]:
    """File -> the folder whose box it goes into: the deepest that leaves few enough boxes; where
    even the outermost are too many, small ones go into one."""
    parts = {path: PurePosixPath(path).parts[:-1] for path in files}
    for depth in range(max(map(len, parts.values())), 0, -1):
        homes = {path: "/".join(p[:depth]) for path, p in parts.items()}
        if len(set(homes.values())) <= _MOST_BOXES:
            return homes
    sizes = Counter(homes.values())
    large = sorted(sizes, key=lambda f: (-sizes[f], f))[: _MOST_BOXES - 1]
    return {path: home if home in large else say("picture_others") for path, home in homes.items()}


def _of_folders(files: Iterable[Box], home: Mapping[str, str]) -> list[Box]:
    held: dict[str, list[Standing]] = {}
    for file in files:
        held.setdefault(home[file.key], []).append(file.standing)
    boxes: list[Box] = []
    for folder, standings in sorted(held.items()):
        counts = Counter(standings)
        alone = next((s for s in Standing if counts[s] == len(standings)), Standing.BOTH)
        remarks = [say("picture_files", files=len(standings))]
        remarks += [
            f"{counts[s]} {say(f'picture_{s.value}')}"
            for s in (Standing.PLANNED, Standing.ADDED)
            if counts[s]
        ]
        boxes.append(Box(key=folder, name=folder or ".", standing=alone, remarks=tuple(remarks)))
    return boxes


def _moved(pairs: Iterable[Pair], home: Mapping[str, str]) -> set[Pair]:
    return {(home[a], home[b]) for a, b in pairs if a in home and b in home}


def _inside(pairs: Iterable[Pair], keys: Set[str]) -> list[Pair]:
    return sorted((a, b) for a, b in pairs if a != b and a in keys and b in keys)


def _drawn(boxes: list[Box], solid: list[Pair], dotted: list[Pair]) -> str:
    """The text of the flowchart. Every id is made up, every name is a quoted label."""
    ids = {box.key: f"n{number}" for number, box in enumerate(boxes)}
    shown = [(box.group, _shape(box, ids[box.key])) for box in boxes]
    groups = [
        {"id": f"g{number}", "label": _label(group), "boxes": [b for g, b in shown if g == group]}
        for number, group in enumerate(sorted({g for g, _ in shown if g}))
    ]
    arrows = [
        {"source": ids[a], "target": ids[b], "solid": kind == "solid"}
        for kind, pairs in (("solid", solid), ("dotted", dotted))
        for a, b in pairs
    ]
    return page(
        "picture",
        loose=[b for g, b in shown if not g],
        groups=groups,
        arrows=arrows[:_MOST_ARROWS],
    )


def _shape(box: Box, box_id: str) -> dict[str, object]:
    before, after = _SHAPES[box.standing]
    return {
        "id": box_id,
        "open": before,
        "close": after,
        "lines": [_label(box.name), *box.remarks],
        "style": box.standing.value,
    }


def _label(text: str) -> str:
    """A name as Mermaid takes it in quotes: all that could mean something to Mermaid, Markdown or
    HTML is a numbered entity, also that of an icon (`fa:fa-car`), for which a mark without width
    follows the colon. What nobody sees is left out, and so is the middle of a long name.

    https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
    """
    seen = "".join(c for c in text if c.isprintable())
    if len(seen) > _LONGEST_NAME:
        half = _LONGEST_NAME // 2
        seen = f"{seen[:half]}…{seen[-half:]}"
    coded = "".join(c if c.isalnum() or c in "./-" else f"#{ord(c)};" for c in seen)
    return coded.replace("#58;", "#58;#8203;")
