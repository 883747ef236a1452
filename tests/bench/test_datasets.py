"""The public tasks' layout is read as it is published, and the answer stays apart from the spec."""

from pathlib import Path

import pytest

from bot.bench.datasets import DatasetError, read_tasks

from .kit import datasets


def test_both_layouts_are_read(tmp_path: Path) -> None:
    shop, till = read_tasks(datasets(tmp_path))
    assert (shop.name, shop.set, shop.source_root) == ("shop", "CodeProjectEval", "shop")
    assert (till.name, till.set, till.source_root) == ("till", "DevBench", "")
    modules = ["shop/__init__.py", "shop/cart.py", "shop/price.py"]
    assert sorted(shop.reference()) == sorted(till.reference()) == modules
    assert shop.resources() == ("data/rates.txt", "requirements.txt")
    assert till.resources() == ("examples/demo.py",)


def test_a_spec_holds_documents_and_check_tests_and_nothing_of_the_answer(tmp_path: Path) -> None:
    for task in read_tasks(datasets(tmp_path)):
        spec = task.spec()
        assert len(spec.documents) == 3
        assert [f.path for f in spec.files if f.classes] == ["shop/cart.py"]
        given = [f.path for f in (*spec.check_tests, *spec.resources)]
        assert given == (["check_tests/test_cart.py"] if task.name == "shop" else [])


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there are no public tasks in this folder"):
        read_tasks(tmp_path)
    datasets(tmp_path)
    with pytest.raises(DatasetError, match=r"there is no task `mart`.*choose one of shop, till"):
        read_tasks(tmp_path, "mart")
    assert [t.name for t in read_tasks(tmp_path, "till")] == ["till"]
    (tmp_path / "DevBench/till/config.json").write_text("{")
    with pytest.raises(DatasetError, match="configuration is no JSON"):
        read_tasks(tmp_path)
