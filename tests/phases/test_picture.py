"""The picture of planned against realized structure, read back as Mermaid."""

import re

import pytest

from bot.phases.picture import picture
from bot.spec.mermaid.diagrams import DiagramFinder
from bot.spec.model import Document, DocumentKind, Location, PackageDiagram
from bot.state.model import Node, NodeKind, ProjectState, Relation, RelationKind, ordered
from bot.state.reconcile import change_of, reconcile

ASKED = (Location(file="a.md"),)


def plan(*paths: str) -> ProjectState:
    nodes = (Node(id=p, kind=NodeKind.FILE, name=p.rpartition("/")[2], asked=ASKED) for p in paths)
    return ProjectState(nodes=ordered({n.id: n for n in nodes}))


def coded(state: ProjectState, files: dict[str, str]) -> ProjectState:
    return reconcile(state, change_of(files, files))[0]


def predicted(source: str, target: str, weight: float) -> Relation:
    return Relation(
        source=source,
        target=target,
        kind=RelationKind.USE,
        origin="predicted",
        signal="symbol",
        weight=weight,
    )


def read(text: str) -> PackageDiagram:
    finder = DiagramFinder()
    finder.read(Document(file="body.md", kind=DocumentKind.UML, text=text))
    found = finder.result()
    assert not found.problems
    [diagram] = found.packages
    return diagram


SHOP = coded(
    plan("shop/__init__.py", "shop/cart.py", "shop/price.py", "cli.py"),
    {
        "shop/__init__.py": "",
        "shop/cart.py": "from shop import tax\n",
        "shop/tax.py": "RATE = 3\n",
        "cli.py": "import shop.cart\n",
    },
)


def test_shape_words_and_style_tell_where_a_file_stands() -> None:
    text = picture(SHOP)
    assert re.search(r'n\d\["cart.py"\]:::both', text)
    assert re.search(r'n\d\(\["price.py<br/>planned only"\]\):::planned', text)
    assert re.search(r'n\d\{\{"tax.py<br/>not planned"\}\}:::added', text)
    assert "Round ends and a dashed border: planned only." in text


def test_a_plan_without_code_is_all_planned() -> None:
    text = picture(plan("a.py", "b.py"))
    assert text.count(":::planned") == 2
    assert ":::both" not in text


def test_files_are_grouped_by_folder_and_arrows_are_uses() -> None:
    state = SHOP.model_copy(
        update={
            "predicted": (
                predicted("shop/cart.py", "shop/price.py", 0.9),
                predicted("shop/cart.py", "shop/tax.py", 0.9),
                predicted("cli.py", "shop/price.py", 0.3),
            )
        }
    )
    diagram = read(picture(state))
    names = {n.id: n.title.partition("\n")[0] for n in diagram.nodes}
    assert {names[n.id]: n.group for n in diagram.nodes} == {
        "#95;#95;init#95;#95;.py": ("shop",),
        "cart.py": ("shop",),
        "price.py": ("shop",),
        "tax.py": ("shop",),
        "cli.py": (),
    }
    assert [(names[e.source], names[e.target]) for e in diagram.edges] == [
        ("cli.py", "cart.py"),
        ("cart.py", "tax.py"),
        ("cart.py", "price.py"),
    ]
    dotted = [line for line in picture(state).splitlines() if "-.->" in line]
    assert len(dotted) == 1


def test_differences_inside_of_a_file_are_counted() -> None:
    state = coded(plan("a.py"), {"a.py": "def new(): ...\n\n\nclass New: ...\n"})
    assert '"a.py<br/>2 differences"' in picture(state)


HOSTILE = [
    'a"b.py',
    "[a](b).py",
    "{{a}}.py",
    "`a`.py",
    "%%a.py",
    "a;b.py",
    "a|b.py",
    "<img src=x onerror=alert(1)>.py",
    "end",
    "click a href.py",
    "--> b.py",
    "@everyone.py",
    "a\n```\n# b.py",
    "a\u202eb.py",
    "#quot;.py",
    "x" * 300 + ".py",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_labels(name: str) -> None:
    path = f"{name}/{name}/c.py"
    text = picture(plan(path, "b.py"))
    lines = text.splitlines()
    assert (lines[0], lines.count("```")) == ("```mermaid", 1)
    [group] = [line for line in lines if line.startswith("  subgraph")]
    assert re.fullmatch(r'  subgraph g0\["[\w./#;…-]+"\]', group)
    assert len(group) < 500
    diagram = read(text)
    assert (len(diagram.nodes), len(diagram.edges)) == (2, 0)


def test_an_icon_is_no_name() -> None:
    assert "fa:fa-car" not in picture(plan("fa:fa-car.py"))
    assert '"fa#58;#8203;fa-car.py<br/>' in picture(plan("fa:fa-car.py"))


def test_a_large_project_is_gathered_by_folder() -> None:
    files = {f"p{i % 6}/q{i % 30}/f{i}.py": "" for i in range(300)}
    files["p0/q0/f0.py"] = "import p1.q1.f1\nimport p0.q6.f6\n"
    state = coded(plan(*[p for p in files if p != "p1/q1/f1.py"], "p2/q2/gone.py"), files)
    text = picture(state)
    diagram = read(text)
    assert len(diagram.nodes) == 30
    assert "p1/q1<br/>10 files<br/>1 not planned" in text
    assert "p2/q2<br/>11 files<br/>1 planned only" in text
    assert len(diagram.edges) == 2
    assert "Files are gathered by folder." in text


def test_a_huge_project_stays_within_what_people_and_github_take() -> None:
    nodes = [f"p{i % 90}/q{i}/f.py" for i in range(2000)]
    relations = tuple(
        predicted(nodes[i], nodes[(i * 7 + k) % 2000], 0.9) for i in range(2000) for k in (3, 11)
    )
    state = plan(*nodes).model_copy(update={"predicted": relations})
    text = picture(state)
    diagram = read(text)
    assert len(diagram.nodes) == 40
    assert len(diagram.edges) == 120
    assert re.search(r"\d+ more arrows left out\.", text)
    assert len(text) < 12_000


def test_nothing_is_shown_of_nothing() -> None:
    assert picture(ProjectState()) == ""
