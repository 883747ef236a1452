"""Which files are written together."""

from bot.phases.bundles import bundles


def test_no_group_is_larger_than_the_largest_file() -> None:
    sizes = {"a.py": 100, "b.py": 60, "c.py": 50, "d.py": 40, "e.py": 10}
    groups = bundles(sizes)
    assert sorted(p for g in groups for p in g) == sorted(sizes)
    assert all(sum(sizes[p] for p in g) <= 100 for g in groups)
    assert len(groups) == 3


def test_files_that_have_to_do_with_each_other_go_together() -> None:
    sizes = {"x/a.py": 100, "x/b.py": 60, "y/c.py": 60, "z/d.py": 40, "z/e.py": 40}
    related = {("z/d.py", "y/c.py"): 0.9, ("x/b.py", "z/e.py"): 0.4}
    assert bundles(sizes, related) == [("x/a.py",), ("x/b.py", "z/e.py"), ("y/c.py", "z/d.py")]


def test_files_of_one_folder_go_together_where_nothing_else_is_known() -> None:
    sizes = {"x/a.py": 100, "x/b.py": 60, "y/c.py": 60, "y/d.py": 40, "x/e.py": 40}
    assert bundles(sizes) == [("x/a.py",), ("x/b.py", "x/e.py"), ("y/c.py", "y/d.py")]


def test_nothing_to_write_makes_no_group() -> None:
    assert bundles({}) == []
