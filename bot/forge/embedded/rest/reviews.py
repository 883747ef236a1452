"""Reviews of pull requests and inline comments.

https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/comments
"""

from bot.forge.embedded.rest.call import Answer, Body, Call, found
from bot.forge.embedded.rest.issues import Text, order, page_reactions, react, unreact
from bot.forge.embedded.rest.routing import Routes
from bot.forge.embedded.shapes import pulls as shape
from bot.forge.embedded.store.errors import Refused, not_found
from bot.forge.embedded.store.reviews import InlineComment
from bot.forge.embedded.store.rows import Json, Pull, Review, ReviewComment

routes = Routes()
_R = "/repos/<owner>/<repo>"
_P = f"{_R}/pulls/<int:number>"
_V = f"{_P}/reviews/<int:identity>"
_C = f"{_R}/pulls/comments/<int:identity>"


class Inline(Body):
    path: str
    body: str
    line: int | None = None
    side: str | None = None
    start_line: int | None = None
    start_side: str | None = None
    position: int | None = None


class NewReview(Body):
    commit_id: str | None = None
    body: str | None = None
    event: str | None = None
    comments: tuple[Inline, ...] | None = None


class Submission(Body):
    event: str
    body: str | None = None


class Dismissal(Body):
    message: str


class Reply(Body):
    body: str
    in_reply_to: int


class NewComment(Inline):
    commit_id: str | None = None
    subject_type: str | None = None


@routes.get(f"{_P}/reviews", "pull_requests:read")
def list_reviews(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    rows = call.store.reviews.of(pull, call.actor)
    return call.page(rows, lambda row: _shape(call, pull, row))


@routes.post(f"{_P}/reviews", "pull_requests:contribute", content=True)
def create(call: Call, number: int) -> Answer:
    """200, not 201, as GitHub answers."""
    pull = call.pull(number)
    body = call.body(NewReview)
    row = call.store.reviews.create(
        call.repository,
        pull,
        call.actor,
        event=body.event or "PENDING",
        body=body.body or "",
        commit=body.commit_id,
        comments=tuple(_inline(comment) for comment in body.comments or ()),
    )
    return Answer(_shape(call, pull, row), 200)


@routes.get(_V, "pull_requests:read")
def get(call: Call, number: int, identity: int) -> Json:
    pull = call.pull(number)
    return _shape(call, pull, _review(call, pull, identity))


@routes.put(_V, "pull_requests:contribute")
def edit(call: Call, number: int, identity: int) -> Json:
    pull = call.pull(number)
    row = _own(call, _review(call, pull, identity))
    row = call.store.reviews.edit(call.repository, row, call.actor, call.body(Text).body)
    return _shape(call, pull, row)


@routes.delete(_V, "pull_requests:contribute")
def delete(call: Call, number: int, identity: int) -> Json:
    pull = call.pull(number)
    row = _own(call, _review(call, pull, identity))
    call.store.reviews.delete_pending(row)
    return _shape(call, pull, row)


@routes.post(f"{_V}/events", "pull_requests:contribute", content=True)
def submit(call: Call, number: int, identity: int) -> Json:
    pull = call.pull(number)
    body = call.body(Submission)
    row = _own(call, _review(call, pull, identity))
    row = call.store.reviews.submit(call.repository, row, call.actor, body.event, body.body)
    return _shape(call, pull, row)


@routes.put(f"{_V}/dismissals", "pull_requests:write")
def dismiss(call: Call, number: int, identity: int) -> Json:
    pull = call.pull(number)
    message = call.body(Dismissal).message
    row = _review(call, pull, identity)
    row = call.store.reviews.dismiss(call.repository, row, call.actor, message)
    return _shape(call, pull, row)


@routes.get(f"{_V}/comments", "pull_requests:read")
def comments_of_review(call: Call, number: int, identity: int) -> Answer:
    pull = call.pull(number)
    rows = call.store.reviews.comments(_review(call, pull, identity))
    return call.page(rows, lambda row: _comment_shape(call, pull, row))


# Inline comments


@routes.get(f"{_P}/comments", "pull_requests:read")
def list_comments(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    rows = order(call, call.store.reviews.pull_comments(pull), default="asc")
    return call.page(rows, lambda row: _comment_shape(call, pull, row))


@routes.get(f"{_R}/pulls/comments", "pull_requests:read")
def list_all_comments(call: Call) -> Answer:
    rows = order(call, call.store.reviews.repository_comments(call.repository), default="asc")
    return call.page(rows, lambda row: _comment_shape(call, call.store.pulls.get(row.pull_id), row))


@routes.post(f"{_P}/comments", "pull_requests:contribute", content=True)
def create_comment(call: Call, number: int) -> Answer:
    pull = call.pull(number)
    data = call.request.get_json(force=True, silent=True) or {}
    if isinstance(data, dict) and "in_reply_to" in data:
        return _reply(call, pull, call.body(Reply).in_reply_to)
    body = call.body(NewComment)
    if body.commit_id is None:
        raise Refused(422, 'Invalid request.\n\n"commit_id" wasn\'t supplied.')
    row = call.store.reviews.comment(
        call.repository, pull, call.actor, _inline(body, body.subject_type), body.commit_id
    )
    return Answer(_comment_shape(call, pull, row), 201)


@routes.post(f"{_P}/comments/<int:identity>/replies", "pull_requests:contribute", content=True)
def reply(call: Call, number: int, identity: int) -> Answer:
    return _reply(call, call.pull(number), identity)


@routes.get(_C, "pull_requests:read")
def get_comment(call: Call, identity: int) -> Json:
    row = call.review_comment(identity)
    return _comment_shape(call, call.store.pulls.get(row.pull_id), row)


@routes.patch(_C)
def edit_comment(call: Call, identity: int) -> Json:
    row = call.review_comment(identity)
    call.require_author_or_write("pull_requests", row.author_id)
    row = call.store.reviews.edit_comment(call.repository, row, call.actor, call.body(Text).body)
    return _comment_shape(call, call.store.pulls.get(row.pull_id), row)


@routes.delete(_C)
def delete_comment(call: Call, identity: int) -> None:
    row = call.review_comment(identity)
    call.require_author_or_write("pull_requests", row.author_id)
    call.store.reviews.delete_comment(call.repository, row, call.actor)


@routes.get(f"{_C}/reactions", "pull_requests:read")
def reactions(call: Call, identity: int) -> Answer:
    return page_reactions(call, "review_comment", call.review_comment(identity))


@routes.post(f"{_C}/reactions", "pull_requests:contribute")
def react_to_comment(call: Call, identity: int) -> Answer:
    return react(call, "review_comment", call.review_comment(identity))


@routes.delete(f"{_C}/reactions/<int:reaction>", "pull_requests:contribute")
def unreact_to_comment(call: Call, identity: int, reaction: int) -> None:
    unreact(call, reaction)


# Inner parts


def _inline(body: Inline, subject_type: str | None = None) -> InlineComment:
    return InlineComment(
        path=body.path,
        body=body.body,
        line=body.line,
        side=body.side or "RIGHT",
        start_line=body.start_line,
        start_side=body.start_side,
        position=body.position,
        subject_type=subject_type or "line",
    )


def _reply(call: Call, pull: Pull, to: int) -> Answer:
    root = call.review_comment(to)
    if root.pull_id != pull.id:
        raise not_found()
    text = call.body(Text).body
    row = call.store.reviews.reply(call.repository, pull, call.actor, root, text)
    return Answer(_comment_shape(call, pull, row), 201)


def _review(call: Call, pull: Pull, identity: int) -> Review:
    row = found(call.store.reviews.find(call.repository, identity))
    visible = {review.id for review in call.store.reviews.of(pull, call.actor)}
    if row.id not in visible:
        raise not_found()
    return row


def _own(call: Call, row: Review) -> Review:
    if row.author_id != call.actor.user.id:
        raise Refused(403, "Must be the author of the review")
    return row


def _shape(call: Call, pull: Pull, row: Review) -> Json:
    return shape.review(call.shapes, call.repository, pull, row)


def _comment_shape(call: Call, pull: Pull, row: ReviewComment) -> Json:
    return shape.review_comment(call.shapes, call.repository, pull, row)
