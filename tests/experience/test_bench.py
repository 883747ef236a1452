"""The faults that the benches seed are real ones, and the benches say so where nothing can run."""

import ast

from bot.bench.experience import bench_abstraction
from bot.bench.families_seeded import faults_of

FILES = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": '''"""The cart."""

import math

from shop.price import total


class Cart:
    def __init__(self, owner):
        self.owner = owner

    def first(self, n):
        if n < 1:
            raise ValueError("none")
        return math.floor(total(sorted(self.owner)[:1]))
''',
    "shop/price.py": '''"""Prices, in €."""


def total(items):
    said = "é".encode("utf-8")
    return [items, said]
''',
}


def test_every_family_is_seeded_where_it_can_be() -> None:
    found = faults_of(FILES)
    assert {family for family, faults in found.items() if faults} == {
        "missing_name",
        "missing_reexport",
        "undefined_name",
        "signature_mismatch",
        "missing_attribute",
        "missing_return",
        "wrong_exception",
        "missing_exception",
        "off_by_one",
        "item_order",
        "text_and_bytes",
        "inverted_condition",
        "timed_out",
        "missing_module",
        "circular_import",
    }


def test_a_fault_changes_its_file_and_leaves_it_valid() -> None:
    for family, faults in faults_of(FILES).items():
        for fault in faults:
            assert fault.family == family
            assert fault.source != FILES[fault.path]
            assert fault.source is None or ast.parse(fault.source)


def test_an_edit_is_where_it_belongs_beside_letters_of_several_bytes() -> None:
    (fault,) = faults_of(FILES)["text_and_bytes"]
    assert fault.source == FILES["shop/price.py"].replace('.encode("utf-8")', "")


def test_without_a_task_that_runs_there_is_nothing_to_leak() -> None:
    result = bench_abstraction(())
    assert result.figures["leaks"] == 0
    assert result.figures["experiences"] == 0
    assert result.tasks == ()
