"""The benches of relations, contexts and the state's cost, on a small data set of our own."""

from pathlib import Path

from bot.bench.context import bench_context
from bot.bench.datasets import read_tasks
from bot.bench.relations import bench_relations
from bot.bench.state import bench_state, made_up
from bot.bench.stripping import stripped
from bot.state.reconcile import change_of

from .kit import datasets, write

SOURCE = '''"""Module."""
import os
from pkg.a import needed
from pkg.b import later

__all__ = ["f"]
LIMIT = later()
print(LIMIT)


@needed
def f(x: int = 3) -> int:
    """Say."""
    return later(x)


class C(needed.Base):
    size = 3

    async def go(self):
        return os.getcwd()
'''


def test_a_stripped_file_keeps_its_surface() -> None:
    kept = stripped(SOURCE, imports=True)
    for part in ('"""Say."""', "@needed", "size = 3", "async def go", "from pkg.b import later"):
        assert part in kept
    for part in ("later(", "getcwd", "print"):
        assert part not in kept


def test_without_the_imports_of_bodies() -> None:
    kept = stripped(SOURCE, imports=False)
    assert "from pkg.a import needed" in kept
    assert "later" not in kept
    assert "import os" not in kept


def test_relations_are_measured_for_each_kind_of_skeleton(tmp_path: Path) -> None:
    result = bench_relations(read_tasks(datasets(tmp_path)))
    assert result.figures["recall"] == 1.0
    assert result.figures["precision_import"] == 1.0
    shop = next(row for row in result.tasks if row["task"] == "shop")
    assert (shop["relations"], shop["recall"], shop["first_missed"]) == (1, 1.0, "")
    blind = float(result.figures["recall_blind"] or 0)
    assert blind <= 1.0


def test_contexts_are_measured_against_what_the_code_uses(tmp_path: Path) -> None:
    folder = datasets(tmp_path)
    filler = "".join(f"def filler_{i}(a, b):\n    return a + b\n\n\n" for i in range(60))
    write(folder / "CodeProjectEval" / "shop" / "shop", {"filler.py": filler})
    result = bench_context(read_tasks(folder))
    assert float(result.figures["share_largest"] or 1) <= 0.25
    shop = next(row for row in result.tasks if row["task"] == "shop")
    assert (shop["symbols"], shop["recall"], shop["recall_realized"]) == (1, 1.0, 1.0)


def test_the_state_costs_what_the_change_costs() -> None:
    result = bench_state(())
    assert [row["task"] for row in result.tasks] == ["10 files", "100 files", "1000 files"]
    nodes = [int(row["nodes"] or 0) for row in result.tasks]
    assert nodes[2] > 90 * nodes[0] > 0
    assert float(result.figures["ms_1000"] or 0) < 20 * float(result.figures["ms_10"] or 0)


def test_the_made_up_project_is_tied_together() -> None:
    files = made_up(10)
    pairs = {r.files for r in change_of(files, files).relations}
    assert len(pairs) >= 20
