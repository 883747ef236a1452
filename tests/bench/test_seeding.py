"""Seeded faults: one in each, the same each time, and visible only where the text proves it."""

import ast

from bot.bench.seeding import KINDS, seeds_of

from .kit import CART, PRICE

SOURCES = {"shop/__init__.py": "", "shop/cart.py": CART, "shop/price.py": PRICE}


def test_every_kind_is_seeded_and_what_comes_out_parses() -> None:
    seeds = list(seeds_of(SOURCES, 3))
    assert {s.kind for s in seeds} == set(KINDS)
    for seed in seeds:
        assert seed.source != SOURCES[seed.edit.path]
        ast.parse(seed.source)
    assert seeds == list(seeds_of(SOURCES, 3))


def test_a_fault_is_visible_only_where_the_text_proves_it() -> None:
    source = (
        "from shop import price\n\n\n"
        "class Cart:\n"
        "    def __init__(self, owner):\n        self.owner = owner\n\n"
        "    def add(self, item):\n        return self.owner + item\n\n\n"
        "def use(thing):\n    thing.add(1)\n    thing.owner\n    return price.total(thing)\n"
    )
    seeds = list(seeds_of({**SOURCES, "shop/cart.py": source}, 50))
    by_text = {
        (s.kind, s.edit.text): s.edit.visible for s in seeds if s.edit.path.endswith("cart.py")
    }
    assert by_text["renamed_call", "add_anew"] is False
    assert by_text["renamed_call", "total_anew"] is True
    assert by_text["wrong_argument_count", "price.total()"] is True
    assert by_text["dropped_import", "pass"] is True
    attributes = [s.edit for s in seeds if s.kind == "misspelt_attribute" and s.edit.line > 3]
    assert {(e.line, e.visible) for e in attributes} == {(9, True), (14, False)}


def test_an_edit_keeps_what_stands_around_it() -> None:
    source = "def größe(x):\n    return 1 + (x)  # so\n\n\nprint(größe(1), 'ü', größe(2))\n"
    seeds = [s.source for s in seeds_of({"a.py": source}, 50) if s.kind == "renamed_call"]
    assert source.replace("größe(1)", "größe_anew(1)") in seeds
    assert source.replace("größe(2)", "größe_anew(2)") in seeds
