"""Where in a diff an inline comment lies, and GitHub's refusals where it lies nowhere."""

from dataclasses import dataclass
from typing import Literal

from bot.forge.embedded.git.diff import DiffLine, find_line, find_position
from bot.forge.embedded.git.objects import FileChange
from bot.forge.embedded.store.errors import Refused, unprocessable

Side = Literal["LEFT", "RIGHT"]
REVIEW_DOCS = "https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request"
COMMENT_DOCS = (
    "https://docs.github.com/rest/pulls/comments#create-a-review-comment-for-a-pull-request"
)


@dataclass(frozen=True)
class InlineComment:
    """What a caller asks for: `line` of a `side` (RIGHT: the new file), or a `position` in the
    patch, or the whole file (`subject_type` "file")."""

    path: str
    body: str
    line: int | None = None
    side: str = "RIGHT"
    start_line: int | None = None
    start_side: str | None = None
    position: int | None = None
    subject_type: str = "line"


class OutsideDiff(Refused):
    """A comment names a `part` (path, line, start_line, position) that is not in the diff."""

    def __init__(self, part: str) -> None:
        self.part = part
        sentence = f"{part.replace('_', ' ').capitalize()} could not be resolved"
        super().__init__(422, "Unprocessable Entity", errors=[sentence], docs=REVIEW_DOCS)

    def of_single_comment(self) -> Refused:
        """How the same is said where a comment is posted on its own."""
        error = {
            "resource": "PullRequestReviewComment",
            "code": "custom",
            "field": f"pull_request_review_thread.{self.part}",
            "message": "could not be resolved",
        }
        return Refused(422, "Validation Failed", errors=[error], docs=COMMENT_DOCS)


def locate(files: dict[str, FileChange], comment: InlineComment) -> DiffLine | None:
    """The line of the diff, None for a comment on a whole file; OutsideDiff where it is neither.
    https://docs.github.com/rest/pulls/comments#create-a-review-comment-for-a-pull-request
    """
    if comment.path not in files:
        raise OutsideDiff("path")
    if comment.subject_type == "file":
        return None
    patch = files[comment.path].patch
    if comment.position is not None and comment.line is None:
        return _inside(find_position(patch, comment.position), "position")
    side = _side(comment.side)
    at = _inside(find_line(patch, comment.line or 0, side), "line")
    if comment.start_line is not None:
        _check_start(patch, comment, comment.start_line, at)
    return at


def still_there(
    files: dict[str, FileChange], path: str, line: int, side: str, hunk: str
) -> int | None:
    """The position of a commented line in a newer diff; None where the line is gone or changed."""
    change = files.get(path)
    at = find_line(change.patch, line, _side(side)) if change else None
    if at is None or at.hunk.rsplit("\n", 1)[-1] != hunk.rsplit("\n", 1)[-1]:
        return None
    return at.position


def _check_start(patch: str | None, comment: InlineComment, start: int, end: DiffLine) -> None:
    """A range starts before it ends, in the same hunk."""
    side = _side(comment.start_side or comment.side)
    first = _inside(find_line(patch, start, side), "start_line")
    if first.position >= end.position:
        raise unprocessable("Start line must precede the end line.", docs=REVIEW_DOCS)
    if not end.hunk.startswith(first.hunk):
        raise unprocessable(
            "Start line must be part of the same hunk as the line.", docs=REVIEW_DOCS
        )


def _inside(line: DiffLine | None, part: str) -> DiffLine:
    if line is None:
        raise OutsideDiff(part)
    return line


def _side(name: str) -> Side:
    if name == "LEFT":
        return "LEFT"
    if name == "RIGHT":
        return "RIGHT"
    message = f"Invalid request.\n\n{name} is not a member of [LEFT, RIGHT]."
    raise Refused(422, message, docs=COMMENT_DOCS)
