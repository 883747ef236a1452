"""What a requirements file becomes."""

import pytest

from bot.phases.tree import with_requirements


@pytest.mark.parametrize(
    ("present", "wanted", "after"),
    [
        ("", ["attrs>=23"], "attrs>=23\n"),
        ("# pins\nAttrs==23.1.0", ["attrs>=23", "rich"], "# pins\nAttrs==23.1.0\nrich\n"),
        ("rich\n", ["rich"], "rich\n"),
    ],
)
def test_the_maintainers_requirements_stay(present: str, wanted: list[str], after: str) -> None:
    assert with_requirements(present, wanted) == after
