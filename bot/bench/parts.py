"""A generated project whose every function can be right or wrong in several ways, and what its
check tests would say of it: seeded runs need many trees whose results are known."""

import io
import json
import random
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Literal

from bot.base import Data

MODULES = 3
FUNCTIONS = 4
CASES = 3

Way = Literal["right", "wrong", "raises", "dies"]
_BODIES: Mapping[Way, str] = {
    "right": "return value + {number}",
    "wrong": "return value - {number}",
    "raises": 'raise KeyError("{name}")',
    "dies": "os.abort()",
}
_HEAD = re.compile(r'\A"""Ways: ([a-z ]+); (whole|broken|bare); revision (\d+)\."""')


class Part(Data):
    """How one module is written. The first of `ways` is that of `twice`, which has one test for
    each of the module's own cases. A `broken` one cannot be imported; a `bare` one names no cases,
    so that no test of `twice` runs."""

    ways: tuple[Way, ...]
    shape: Literal["whole", "broken", "bare"] = "whole"
    revision: int = 0


def path_of(module: int) -> str:
    return f"parts/part{module}.py"


def test_path_of(module: int) -> str:
    return f"check_tests/test_part{module}.py"


def names_of(module: int) -> tuple[str, ...]:
    """The functions of a module: `twice…`, which has cases, then those with one test each."""
    return (f"twice_{module}", *(f"add_{module}_{n}" for n in range(1, 1 + FUNCTIONS)))


def source_of(module: int, part: Part) -> str:
    """A module's text; its first line says how it is written."""
    head = f'"""Ways: {" ".join(part.ways)}; {part.shape}; revision {part.revision}."""'
    lines = [head, "", "import os", ""]
    if part.shape == "broken":
        lines += ["from parts import nothing", ""]
    cases = () if part.shape == "bare" else tuple(range(1, 1 + CASES))
    lines += [f"CASES = {cases!r}", f"HERE = os.name == {module!r}"]
    for number, (name, way) in enumerate(zip(names_of(module), part.ways, strict=True)):
        body = _BODIES[way].format(name=name, number=number or "value")
        lines += ["", "", f"def {name}(value: int) -> int:", f"    {body}"]
    return "\n".join(lines) + "\n"


def part_of(source: str) -> Part | None:
    """How a module's text says that it is written; None for any other text."""
    found = _HEAD.match(source)
    if found is None:
        return None
    values = {"ways": found[1].split(), "shape": found[2], "revision": int(found[3])}
    return Part.model_validate(values)


def spec_files() -> dict[str, bytes]:
    """The project's documents and check tests."""
    files = {"PRD.md": _PRD, "UML.md": _uml(), "architecture_design.md": _architecture()}
    files |= {test_path_of(m): _test_source(m) for m in range(MODULES)}
    return {path: text.encode() for path, text in files.items()}


_PRD = "# Parts\n\nA library of small sums.\n\n## Sums\n\n- `twice_…` doubles, `add_…` adds.\n"


def _uml() -> str:
    members = "\n".join(f"    +{n}(value: int) int" for m in range(MODULES) for n in names_of(m))
    return f"```mermaid\nclassDiagram\n  class Global_functions {{\n{members}\n  }}\n```\n"


def _architecture() -> str:
    tree = "\n".join(f"├── part{m}.py" for m in range(MODULES))
    chapters = "".join(
        f"\n## `{path_of(m)}`\n\nSums of part {m}.\n\n- `CASES`: what `twice_{m}` is tested with.\n"
        + "".join(f"- `{name}(value: int) -> int`: one sum.\n" for name in names_of(m))
        for m in range(MODULES)
    )
    return f"# Architecture\n\n```\nparts/\n├── __init__.py\n{tree}\n```\n{chapters}"


def _test_source(module: int) -> str:
    first, *others = names_of(module)
    lines = ["import pytest", f"from parts import part{module} as part", "", ""]
    lines += [
        '@pytest.mark.parametrize("case", part.CASES)',
        f"def test_{first}(case):",
        f"    assert part.{first}(case) == 2 * case",
    ]
    for number, name in enumerate(others, start=1):
        lines += ["", "", f"def test_{name}():", f"    assert part.{name}(10) == {10 + number}"]
    return "\n".join(lines) + "\n"


Results = dict[str, str]


def results_of(sources: Mapping[str, str]) -> Results:
    """Test id -> `passed`, `skipped` or the name of an exception, as pytest and the check runner
    would find them; a file that cannot be imported stands for its tests."""
    found: Results = {}
    for module in range(MODULES):
        part = part_of(sources.get(path_of(module), ""))
        file = test_path_of(module)
        if part is None or part.shape == "broken":
            found[file] = "ImportError"
            continue
        first, *others = names_of(module)
        cases = [f"[{n}]" for n in range(1, 1 + CASES)]
        for case in cases if part.shape == "whole" else ["[NOTSET]"]:
            said = _SAYS[part.ways[0]] if part.shape == "whole" else "skipped"
            found[f"{file}::test_{first}{case}"] = said
        for name, way in zip(others, part.ways[1:], strict=True):
            found[f"{file}::test_{name}"] = _SAYS[way]
    return found


_SAYS: Mapping[Way, str] = {
    "right": "passed",
    "wrong": "AssertionError",
    "raises": "KeyError",
    "dies": "Crash",
}


def passing(results: Mapping[str, str]) -> frozenset[str]:
    return frozenset(id_ for id_, said in results.items() if said == "passed")


def artifact_of(sources: Mapping[str, str]) -> bytes:
    """The report artifact of a check run on these sources, as the check action would pack it."""
    results = results_of(sources)
    tests = [id_ for id_ in results if "::" in id_]
    events = [*_events(results), {"event": "collected", "ids": tests}]
    events += [e for id_ in tests for e in _told(id_, results[id_])]
    log = "".join(json.dumps(e) + "\n" for e in [*events, {"event": "finish"}])
    facts = {"rounds": [{"returncode": 1}], "tests": ["check_tests"]}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.json", json.dumps(facts))
        archive.writestr("1/events.jsonl", log)
    return packed.getvalue()


def _events(results: Results) -> Iterator[dict[str, object]]:
    """Failures of whole files."""
    for id_, said in results.items():
        if "::" not in id_:
            yield _failure(id_, said)


def _told(id_: str, said: str) -> Iterator[dict[str, object]]:
    if said not in ("passed", "skipped"):
        yield _failure(id_, said)
    outcome = said if said in ("passed", "skipped") else "failed"
    yield {"event": "phase", "id": id_, "when": "call", "outcome": outcome}
    yield {"event": "phase", "id": id_, "when": "teardown", "outcome": "passed"}


def _failure(id_: str, said: str) -> dict[str, object]:
    """A failure with the frames that tell in which file it lies."""
    module = re.search(r"test_part(\d+)\.py", id_)
    path = path_of(int(module[1])) if module else ""
    frames = [{"path": id_.partition("::")[0], "line": 2, "function": "test"}]
    if said != "AssertionError":
        frames.append({"path": path, "line": 5, "function": id_.rpartition("test_")[2]})
    told = {"exception": said, "message": said, "detail": said, "frames": frames}
    return {"event": "failure", "id": id_, **told}


def mutated(part: Part, mood: str, rng: random.Random) -> Part:
    """A module after a repair in a certain mood; see MOODS."""
    revision = rng.randrange(10**6)
    if mood == "idles":
        return part.model_copy(update={"revision": revision})
    fixes, breaks = MOODS[mood]
    ways = tuple(_way(way, fixes, breaks, rng) for way in part.ways)
    shape = part.shape
    if mood == "hides" and rng.random() < 0.6:
        shape = "broken"
    elif mood == "cheats" and rng.random() < 0.7:
        shape = "bare"
    elif rng.random() < fixes + 0.2:
        shape = "whole"
    return Part(ways=ways, shape=shape, revision=revision)


def _way(way: Way, fixes: float, breaks: float, rng: random.Random) -> Way:
    if way == "right":
        return rng.choice(_FAULTS) if rng.random() < breaks else "right"
    return "right" if rng.random() < fixes else rng.choice((way, way, *_FAULTS))


_FAULTS: tuple[Way, ...] = ("wrong", "raises", "wrong", "raises", "dies")

# How likely a fixer in this mood mends what is wrong, and breaks what is right. `hides` may also
# break an import, `cheats` takes tests away, `idles` changes nothing that a test sees.
MOODS: Mapping[str, tuple[float, float]] = {
    "helps": (0.4, 0.05),
    "trades": (0.4, 0.4),
    "harms": (0.1, 0.5),
    "hides": (0.3, 0.1),
    "cheats": (0.2, 0.1),
    "idles": (0.0, 0.0),
}
