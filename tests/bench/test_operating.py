"""The benches of the code round's schedule and of the bot's own work, on small projects of ours."""

from pathlib import Path

from bot.bench.datasets import read_tasks
from bot.bench.overhead import bench_overhead
from bot.bench.prefix import bench_prefix
from bot.bench.schedule import bench_schedule

from .kit import datasets, many


def test_files_are_written_at_once(tmp_path: Path) -> None:
    result = bench_schedule(read_tasks(datasets(tmp_path), "shop"))
    (shop,) = result.tasks
    assert result.figures["projects"] == 1
    assert (shop["files"], shop["calls_single"]) == (3, 3)
    assert shop["at_once"] == shop["calls"] == 3


def test_own_work_is_measured_in_a_run_that_passes_after_one_repair(tmp_path: Path) -> None:
    result = bench_overhead(read_tasks(many(tmp_path, 12)))
    (row,) = result.tasks
    assert (row["files"], row["outcome"]) == (13, "passed")
    assert result.figures["own_seconds"] == row["own_seconds"]
    shares = [float(v or 0) for k, v in result.figures.items() if k.startswith("share_")]
    assert abs(sum(shares) - 1) < 0.01
    assert {"seconds_open", "seconds_code", "seconds_check"} <= set(row)


def test_projects_of_other_sizes_are_left_out(tmp_path: Path) -> None:
    result = bench_overhead(read_tasks(many(tmp_path, 3)))
    assert (result.figures["runs"], result.figures["own_seconds"]) == (0, None)


def test_what_calls_have_in_common_is_counted_from_the_first_word_on(tmp_path: Path) -> None:
    result = bench_prefix(read_tasks(many(tmp_path, 12)))
    (row,) = result.tasks
    share, warm = float(row["share_code"] or 0), float(row["warm_code"] or 0)
    # All calls of the round share documents and rules; the first has nobody to share with.
    assert 0 < share < 1
    assert warm < share
    saved = float(result.figures["saves_claude-opus-4-8"] or 0)
    assert saved < float(result.figures["saves_gpt-5-5"] or 0)
