"""The public document sets, where they are at hand: nothing crashes, nothing is fatal."""

import os
from pathlib import Path

import pytest

from bot.spec import counts, spec_from_files

ROOT = Path(__file__).parent.parent.parent
PLACES = [
    Path(p)
    for p in (os.environ.get("REPOWRIGHT_CORPUS"), str(ROOT.parent / "shared" / "specs"))
    if p
]


def sets() -> list[Path]:
    """Folders that hold a PRD, two levels below the corpus."""
    place = next((p for p in PLACES if p.is_dir()), None)
    return [] if place is None else sorted(p.parent for p in place.glob("*/*/PRD.md"))


needs_corpus = pytest.mark.skipif(
    not sets(), reason="no document sets: set REPOWRIGHT_CORPUS to a folder with SET/TASK/PRD.md"
)


@needs_corpus
@pytest.mark.parametrize("folder", sets(), ids=lambda p: p.name)
def test_a_public_set_is_understood(folder: Path) -> None:
    files = {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }
    spec = spec_from_files(files)
    found = counts(spec)
    unread = [p for p in spec.problems if p.code.startswith("mermaid-")]
    assert spec.fatal == ()
    assert unread == []
    assert found["files"] >= 3
    assert found["classes"] >= 1
    assert found["members"] >= 6
    assert spec.derived in ((), ("check_tests",))
    assert any(f.defines for f in spec.files)
