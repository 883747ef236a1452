"""Which lines an inline comment may name: those that the pull request's diff shows."""

from collections.abc import Iterable

from github.File import File
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from bot.ports.forge import ReviewComment


def commentable(files: Iterable[File]) -> dict[str, frozenset[int]]:
    """By path, the lines of the new side that stand in a hunk, counted from 1.

    https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request; GitHub
    leaves `patch` out for binary and very large files, which then take no inline comment.
    """
    return {file.filename: _new_lines(file.patch) for file in files if file.patch}


def _new_lines(patch: str) -> frozenset[int]:
    try:
        parsed = PatchSet(f"--- a/file\n+++ b/file\n{patch}\n")
    except UnidiffParseError:
        return frozenset()
    return frozenset(
        line.target_line_no
        for file in parsed
        for hunk in file
        for line in hunk
        if line.target_line_no is not None
    )


def split(
    comments: Iterable[ReviewComment], lines: dict[str, frozenset[int]]
) -> tuple[tuple[ReviewComment, ...], tuple[ReviewComment, ...]]:
    """The comments that can stand inline, and those that cannot."""
    inline: list[ReviewComment] = []
    elsewhere: list[ReviewComment] = []
    for comment in comments:
        fits = comment.line in lines.get(comment.path, frozenset())
        (inline if fits else elsewhere).append(comment)
    return tuple(inline), tuple(elsewhere)
