"""Refs are read where git keeps them; they are what git itself would list."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.forge.embedded.git.bare import BareRepository
from bot.forge.embedded.git.objects import EMPTY_TREE, Signature

_ANN = Signature("Ann", "ann@example.org", datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def bare(tmp_path: Path) -> BareRepository:
    made = BareRepository.create(tmp_path / "place.git", "main")
    made.write_tree(None, [])
    return made


def _commit(bare: BareRepository, *parents: str) -> str:
    return bare.write_commit(EMPTY_TREE, parents, "A step", _ANN, _ANN)


def _listed(bare: BareRepository, prefix: str) -> dict[str, str]:
    lines = bare.git("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode()
    return dict(line.split(" ") for line in lines.splitlines())


@pytest.mark.parametrize("prefix", ["refs/", "refs/heads/", "refs/heads", "refs/heads/a", "refs/x"])
def test_loose_packed_moved_and_deleted_refs_are_as_git_lists_them(
    bare: BareRepository, prefix: str
) -> None:
    first = _commit(bare)
    for name in ("heads/main", "heads/a/b", "heads/ab", "repowright/1", "tags/v1"):
        bare.update_ref(f"refs/{name}", first)
    tag = bare.write_tag("v2", first, "commit", _ANN, "Two")
    bare.update_ref("refs/tags/v2", tag)
    assert bare.refs(prefix) == _listed(bare, prefix)
    bare.git("pack-refs", "--all")
    assert bare.refs(prefix) == _listed(bare, prefix)
    bare.update_ref("refs/heads/main", _commit(bare, first), first)
    bare.delete_ref("refs/heads/ab")
    assert bare.refs(prefix) == _listed(bare, prefix)
    assert list(bare.refs()) == list(_listed(bare, "refs/"))


def test_a_ref_that_is_being_written_is_not_yet_one(bare: BareRepository) -> None:
    bare.update_ref("refs/heads/main", first := _commit(bare))
    (bare.path / "refs" / "heads" / "main.lock").write_text(f"{_commit(bare, first)}\n")
    assert bare.refs() == {"refs/heads/main": first}


def test_names_ids_and_tags_lead_to_their_commit(bare: BareRepository) -> None:
    bare.update_ref("refs/heads/main", first := _commit(bare))
    tag = bare.write_tag("v1", first, "commit", _ANN, "One")
    bare.update_ref("refs/tags/v1", tag)
    names = ("main", "v1", "HEAD", "refs/heads/main", first, first[:10], tag)
    assert [bare.resolve(name) for name in names] == [first] * len(names)
    assert bare.resolve("v1", "tree") == EMPTY_TREE
    assert [bare.resolve(name) for name in ("v2", "f" * 40, "-h", "main:a")] == [None] * 4


def test_what_arrives_later_is_found_then(bare: BareRepository) -> None:
    late = bare.git("hash-object", "--stdin", stdin=b"late").decode().strip()
    assert (bare.kind(late), bare.resolve(late, "blob")) == (None, None)
    assert bare.write_blob(b"late") == late
    assert (bare.kind(late), bare.resolve(late, "blob")) == ("blob", late)


def test_an_ancestor_is_not_the_other_way_round(bare: BareRepository) -> None:
    second = _commit(bare, first := _commit(bare))
    assert (bare.is_ancestor(first, second), bare.is_ancestor(second, first)) == (True, False)
    assert (bare.is_ancestor(first, first), bare.is_ancestor("f" * 40, first)) == (True, False)
