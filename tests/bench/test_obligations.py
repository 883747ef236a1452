"""The bench of sequence diagrams: what references fulfil, and that a dropped call is told."""

from pathlib import Path

from bot.bench.datasets import read_tasks
from bot.bench.obligations import bench_obligations

from .kit import UML, datasets, write

SEQUENCE = """
```mermaid
sequenceDiagram
    Customer ->> Cart: add(item)
    Cart ->> Price: total(cart)
    Cart ->> Cart: bill()
```
"""


def test_references_fulfil_and_dropped_calls_are_told(tmp_path: Path) -> None:
    folder = datasets(tmp_path)
    write(folder / "CodeProjectEval" / "shop", {"docs/UML.md": UML + SEQUENCE})
    [task] = read_tasks(folder, "shop")
    found = bench_obligations([task]).figures
    # Nobody calls `bill`, which is so in the reference, too; `Customer` is nobody's class.
    assert (found["messages"], found["obligations"], found["met"]) == (3, 2, 1)
    assert (found["seeded"], found["caught"], found["fulfilled"]) == (1, 1.0, 0.5)
