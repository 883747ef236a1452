"""Architecture documents: trees of every drawing, and what they say about each file."""

import pytest

from bot.spec import spec_from_files
from bot.spec.architecture.tree import looks_like_tree, read_tree
from bot.spec.model import PlannedFunction, Spec

from .kit import CORPUS, class_of, codes, file_of, folder

PRD = b"# Shop\n\nIt sells things.\n"


def planned(name: str) -> Spec:
    return spec_from_files(
        {"PRD.md": PRD, "architecture.md": (CORPUS / "styles" / name).read_bytes()}
    )


def names(functions: tuple[PlannedFunction, ...]) -> list[str]:
    return [f.name for f in functions]


@pytest.mark.parametrize(
    "drawing",
    [
        "app\n├── a.py\n├── sub\n│   └── b.py\n└── c.py",
        ".\n|-- app\n|   |-- a.py\n|   |-- sub\n|   |   `-- b.py\n|   `-- c.py",
        "+-- app/\n    +-- a.py\n    +-- sub/\n    |   \\-- b.py\n    \\-- c.py",
        "app/\n  a.py  # first\n  sub/\n    b.py\n  c.py",
        "├── app\n    ├── a.py\n    ├── sub\n    │   └── b.py\n    └── c.py",
    ],
)
def test_trees_of_every_drawing(drawing: str) -> None:
    assert looks_like_tree(drawing)
    files = [e.path for e in read_tree(drawing).entries if not e.folder]
    assert files == ["app/a.py", "app/sub/b.py", "app/c.py"]


@pytest.mark.parametrize(
    "text",
    [
        "python examples/demo.py\npip install x",
        "|   SEG[n]-F1\n|       F   Field\n|       R   Repeat",
        "import a\nimport b",
        "key: value\nother: 3",
    ],
)
def test_other_fences_are_no_trees(text: str) -> None:
    assert not looks_like_tree(text)


def test_comments_globs_and_names_without_a_suffix() -> None:
    tree = read_tree(
        "├── LICENSE\n├── .github\n├── .gitignore\n├── templates/*\n├── a.py  <- the start\n├── ..."
    )
    assert [(e.path, e.folder, e.comment) for e in tree.entries] == [
        ("LICENSE", False, ""),
        (".github", True, ""),
        (".gitignore", False, ""),
        ("templates/*", False, ""),
        ("a.py", False, "the start"),
    ]


def test_headings_bullets_and_dotted_names() -> None:
    spec = planned("headings.md")
    assert [f.path for f in spec.files] == [
        "shop/__init__.py",
        "shop/cart.py",
        "shop/errors.py",
        "shop/json/__init__.py",
        "shop/json/tag.py",
        "shop/storage/__init__.py",
        "shop/storage/disk.py",
        "shop/templates/*",
    ]
    cart = file_of(spec, "shop/cart.py")
    assert names(cart.functions) == ["total", "rounded"]
    assert cart.functions[1].returns == "float"
    assert [v.name for v in cart.variables] == ["VAT"]
    assert [c.name for c in cart.classes] == ["Cart", "Line"]
    assert names(class_of(spec, "shop/cart.py", "Line").methods) == ["__init__"]


def test_members_of_a_class_under_its_heading() -> None:
    cart = class_of(planned("headings.md"), "shop/cart.py", "Cart")
    methods = {m.name: m for m in cart.methods}
    assert list(methods) == ["add", "size", "__init__", "close"]
    assert methods["add"].decorators == ("classmethod",)
    assert (methods["size"].returns, methods["size"].decorators) == ("int", ("property",))
    assert [(p.name, p.default) for p in methods["__init__"].parameters or ()] == [
        ("owner", None),
        ("limit", "10"),
    ]
    assert [a.name for a in cart.attributes] == ["_lines", "keys"]
    assert cart.responsibility.startswith("Holds what somebody wants to buy.")


def test_folder_headings_and_several_names_in_one_bullet() -> None:
    spec = planned("headings.md")
    tag = class_of(spec, "shop/json/tag.py", "Tag")
    assert names(tag.methods) == ["check", "to_json", "to_python", "name"]
    assert names(file_of(spec, "shop/json/tag.py").functions) == ["_find"]


def test_bases_async_and_data_classes() -> None:
    spec = planned("headings.md")
    errors = file_of(spec, "shop/errors.py")
    assert [(c.name, c.bases) for c in errors.classes] == [
        ("ShopError", ("Exception",)),
        ("OutOfStock", ("ShopError",)),
    ]
    assert errors.functions[0].is_async
    record = class_of(spec, "shop/storage/disk.py", "Record")
    assert record.decorators == ("dataclass",)
    assert [(a.name, a.annotation, a.value) for a in record.attributes] == [
        ("key", "str", None),
        ("size", "int", "0"),
    ]
    assert record.methods == ()


def test_methods_that_slid_out_of_their_class() -> None:
    disk = class_of(planned("headings.md"), "shop/storage/disk.py", "Disk")
    assert names(disk.methods) == ["__init__", "read", "__enter__", "write"]


def test_bare_style_and_a_project_folder_at_the_root() -> None:
    spec = planned("bare.md")
    assert [f.path for f in spec.files] == ["README.md", "src/grid.py", "src/search.py"]
    assert file_of(spec, "src/grid.py").responsibility == "the grid"
    grid = class_of(spec, "src/grid.py", "Grid")
    assert names(grid.methods) == ["__init__", "neighbours", "cell"]
    assert [p.name for p in grid.methods[2].parameters or ()] == ["x", "y"]
    assert names(file_of(spec, "src/grid.py").functions) == ["parse", "watch"]
    assert names(file_of(spec, "src/search.py").functions) == ["solve", "cost", "main"]
    assert "file-left-out" in codes(spec)


def test_sentences_about_members() -> None:
    harbour = class_of(spec_from_files(folder("ferry")), "ferry/harbour.py", "Harbour")
    assert names(harbour.methods) == ["__init__", "moor", "free", "ships"]
    assert [a.name for a in harbour.attributes] == ["berths"]
    moor = harbour.methods[1]
    assert [(p.name, p.annotation, p.default) for p in moor.parameters or ()] == [
        ("self", None, None),
        ("ship", "str", None),
        ("*", None, None),
        ("force", None, "False"),
    ]
    assert moor.returns == "None"
    assert moor.location.line == 34


def test_a_name_spelt_otherwise_in_the_tree() -> None:
    utils = file_of(spec_from_files(folder("ferry")), "ferry/utils.py")
    assert names(utils.functions) == ["tide_at"]
    assert [v.name for v in utils.variables] == ["MEAN_TIDE"]


def architecture(text: str) -> Spec:
    return spec_from_files({"PRD.md": PRD, "architecture.md": text.encode()})


TREE = "```\n├── pkg\n│   ├── __init__.py\n│   ├── tree.py\n│   └── other.py\n```\n"


def test_a_file_that_the_tree_calls_otherwise() -> None:
    spec = architecture(
        TREE
        + "\n`pkg.py`:\n- `BigTree`: A class.\n  - `grow_tree()`: Grow.\n"
        + "\n`other.py`:\n- `f()`: x\n"
    )
    assert [c.name for c in file_of(spec, "pkg/tree.py").classes] == ["BigTree"]
    (problem,) = [p for p in spec.problems if p.code == "file-taken-for"]
    assert problem.message == (
        "The text describes pkg/pkg.py, which does not fit the tree, and is taken to mean "
        "pkg/tree.py."
    )


def test_a_package_that_python_cannot_import() -> None:
    tree = TREE.replace("pkg", "big-pkg")
    spec = architecture(tree + "\n## big_pkg/:\n\n`tree.py`:\n- `f()`: x\n")
    assert names(file_of(spec, "big_pkg/tree.py").functions) == ["f"]
    assert "root-renamed" in codes(spec)


def test_a_file_planned_twice_and_a_path_outside() -> None:
    spec = architecture("```\n├── a.py\n├── ../b.py\n├── a.py\n└── c.py\n```\n")
    assert [f.path for f in spec.files] == ["a.py", "c.py"]
    said = {p.code: (p.message, p.location.line, p.location.column) for p in spec.problems}
    assert said["planned-twice"] == (
        "The file a.py is planned twice, here and on line 2.",
        4,
        5,
    )
    assert said["path-outside"] == (
        "The path ../b.py points outside the repository and is left out.",
        3,
        5,
    )


def test_methods_without_a_class() -> None:
    spec = architecture(TREE + "\n`tree.py`:\n- `grow(self, by)`: Grow.\n- `f()`: x\n")
    tree = file_of(spec, "pkg/tree.py")
    assert [(c.name, names(c.methods)) for c in tree.classes] == [("Tree", ["grow"])]
    assert names(tree.functions) == ["f"]
    (problem,) = [p for p in spec.problems if p.code == "methods-without-class"]
    assert problem.message == (
        "The text gives pkg/tree.py methods without saying of which class; Tree is taken."
    )


def test_functions_spelt_like_classes_are_told_by_a_complete_diagram() -> None:
    text = TREE + "\n`tree.py`:\n- `IsTall(v)`: Assert that it is tall.\n- `Oak(object)`: An oak.\n"
    drawn = b"```mermaid\nclassDiagram\nclass Oak {\n}\n```\n"
    spec = spec_from_files(
        {"PRD.md": PRD, "architecture.md": text.encode(), "UML_pyreverse.md": drawn}
    )
    tree = file_of(spec, "pkg/tree.py")
    assert names(tree.functions) == ["IsTall"]
    assert [c.name for c in tree.classes] == ["Oak"]


def described(*lines: str) -> Spec:
    tree = "```\nshop\n├── cart.py\n├── core.py\n└── samples\n    └── one.txt\n```\n"
    text = "\n".join(["# Architecture", "", tree, *lines, ""])
    return spec_from_files({"PRD.md": PRD, "architecture.md": text.encode()})


@pytest.mark.parametrize(
    "bullet",
    [
        "- The `texts` directory contains the texts of all letters.",
        "- The folder `texts` contains the texts of all letters.",
        "- `texts`: A directory that contains the texts of all letters.",
        "- `texts` – Folder with the texts of all letters.",
    ],
)
def test_a_folder_in_the_section_of_a_file_is_no_variable(bullet: str) -> None:
    spec = described("`core.py`:", "- `total()`: Adds up.", "", "Texts:", bullet)
    core = file_of(spec, "shop/core.py")
    assert names(core.functions) == ["total"]
    assert core.variables == ()


@pytest.mark.parametrize(
    "bullet",
    [
        "- `texts_dir`: Directory that contains the texts.",
        "- `texts`: Maps each folder to its texts.",
        "- The variable `texts`: directory of the texts.",
        '- `texts = "texts"`: Directory of the texts.',
    ],
)
def test_a_variable_that_holds_a_folder_is_one(bullet: str) -> None:
    core = file_of(described("`core.py`:", bullet), "shop/core.py")
    assert [v.name for v in core.variables] in (["texts"], ["texts_dir"])


def test_a_label_that_names_a_folder_of_the_tree_ends_the_section_of_a_file() -> None:
    bullets = ("- `rate`: The share that is kept.",)
    ended = described("`core.py`:", "- `total()`: Adds up.", "", "Samples:", *bullets)
    assert file_of(ended, "shop/core.py").variables == ()
    same = described("`core.py`:", "- `total()`: Adds up.", "", "Settings:", *bullets)
    assert [v.name for v in file_of(same, "shop/core.py").variables] == ["rate"]


def test_backslashes_in_defaults_end_where_python_ends_them() -> None:
    text = (
        "# Architecture\n\n## `app/box.py`\n\n"
        '- `join(parts, esc="\\\\", seps="\\r|~^&", last=\'\\\'\', end=None)`: joins.\n'
    )
    spec = spec_from_files({"PRD.md": PRD, "architecture.md": text.encode()})
    (join,) = file_of(spec, "app/box.py").functions
    assert [(p.name, p.default) for p in join.parameters or ()] == [
        ("parts", None),
        ("esc", '"\\\\"'),
        ("seps", '"\\r|~^&"'),
        ("last", "'\\''"),
        ("end", "None"),
    ]
