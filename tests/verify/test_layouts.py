"""The structure verifier and the check tests' uses, on layouts that are not a flat package."""

import pytest

from bot.spec.model import GivenFile, Location, PlannedFile, Spec
from bot.state.model import ProjectState
from bot.state.structure import structure_of
from bot.verify.structure import verify_structure
from bot.verify.usage import verify_usage

HERE = Location(file="architecture_design.md", line=3)


def spec_of(*paths: str, test: str = "") -> Spec:
    """A spec that plans these files, with one check test."""
    return Spec(
        title="Shop",
        documents=(),
        sections=(),
        files=tuple(PlannedFile(path=p, responsibility="Does it.", location=HERE) for p in paths),
        check_tests=(GivenFile(path="check_tests/test_shop.py", text=test),),
        digest="0",
    )


def test_files_that_are_not_python_may_lie_in_folders_that_are_no_package() -> None:
    spec = spec_of("shop/cart.py", "shop/pages/index.html", "docs/guide.md")
    assert verify_structure(ProjectState(nodes=structure_of(spec)), spec) == []


@pytest.mark.parametrize("root", ["", "src/"])
def test_a_package_without_an_init_can_be_imported(root: str) -> None:
    spec = spec_of(f"{root}shop/cart.py", test="import shop\nimport shop.cart\nimport shop.till\n")
    state = ProjectState(nodes=structure_of(spec))
    assert [e.subject for e in verify_usage(spec, state)] == ["shop.till"]
