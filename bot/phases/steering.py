"""What people say while a run goes on: read, checked for permission, turned into wishes."""

from contextlib import suppress
from datetime import datetime
from typing import Literal, get_args

from bot.base import Data, Outcome
from bot.markdown import spoken_lines
from bot.phases.run import Phase, RunState, Steer, Wait
from bot.phases.services import Services
from bot.phases.surroundings import Surroundings, resumed
from bot.phases.texts import page, say
from bot.ports.forge import Comment, HumanReview, Locked

Verb = Literal["run", "status", "retry", "revise", "approve", "budget", "cancel", "help"]

MAY_STEER = ("admin", "maintain", "write")


class Command(Data):
    """One command line of a comment or review; `verb` may be a word that is none. `comment` is 0
    where it stands in a review, which takes no reaction; `place` is where an answer goes, and `at`
    when it was said."""

    verb: str
    argument: str
    author: str
    at: datetime
    source: str
    comment: int = 0
    place: int


class Heard(Data):
    """What came in since the last leg, in order; `seen` are the ids to remember."""

    commands: tuple[Command, ...] = ()
    wishes: tuple[Steer, ...] = ()
    strangers: tuple[int, ...] = ()
    seen: tuple[str, ...] = ()


def commands_of(text: str, prefix: str) -> list[tuple[str, str]]:
    """(verb, argument) of every line that is a command; what is quoted, code or hidden is none."""
    found: list[tuple[str, str]] = []
    for line in spoken_lines(text) if prefix in text else ():
        words = line.strip().split(None, 2)
        if words and words[0] == prefix:
            verb = words[1].lower() if len(words) > 1 else "help"
            found.append((verb, words[2] if len(words) > 2 else ""))
    return found


def heard_key(comment: Comment) -> str:
    """The name under which a state remembers that it has heard a comment."""
    return f"comment:{comment.id}"


def listen(state: RunState, now: Surroundings, services: Services) -> Heard:
    """Read what is said on the issue and the pull request. Only people with write permission are
    heard, in comments that were not edited; the bot and other bots never are."""
    comments = [(state.issue, c) for c in now.issue.comments] if now.issue else []
    reviews: tuple[HumanReview, ...] = ()
    if state.pull_request:
        talk = services.forge.issue(state.pull_request).comments
        comments.extend((state.pull_request, c) for c in talk)
        reviews = services.forge.human_reviews(state.pull_request)
    ear = _Ear(state, services)
    for place, comment in sorted(comments, key=lambda pair: pair[1].created_at):
        ear.comment(place, comment)
    for review in reviews:
        ear.review(review)
    return Heard(
        commands=tuple(ear.commands),
        wishes=tuple(ear.wishes),
        strangers=tuple(ear.strangers),
        seen=tuple(ear.seen),
    )


class _Ear:
    """Collects what is new and comes from somebody who may steer."""

    def __init__(self, state: RunState, services: Services) -> None:
        self._state = state
        self._services = services
        self._permission: dict[str, bool] = {}
        self.commands: list[Command] = []
        self.wishes: list[Steer] = []
        self.strangers: list[int] = []
        self.seen: list[str] = []

    def comment(self, place: int, comment: Comment) -> None:
        key = heard_key(comment)
        found = commands_of(comment.body, self._state.settings.command)
        if key in self._state.seen or comment.author_is_bot or comment.edited or not found:
            return
        self.seen.append(key)
        if not self._may(comment.author):
            self.strangers.append(comment.id)
            return
        for verb, argument in found:
            self.commands.append(
                Command(
                    verb=verb,
                    argument=argument,
                    author=comment.author,
                    at=comment.created_at,
                    source=str(comment.id),
                    comment=comment.id,
                    place=place,
                )
            )

    def review(self, review: HumanReview) -> None:
        key = f"review:{review.id}:{review.path or ''}"
        if key in self._state.seen or not review.body.strip():
            return
        self.seen.append(key)
        if not self._may(review.author):
            return
        found = commands_of(review.body, self._state.settings.command)
        place = self._state.pull_request
        for verb, argument in found:
            self.commands.append(
                Command(
                    verb=verb,
                    argument=argument,
                    author=review.author,
                    at=review.created_at,
                    source=key,
                    place=place,
                )
            )
        if not found:
            self.wishes.append(
                Steer(author=review.author, text=review.body, path=review.path, line=review.line)
            )

    def _may(self, login: str) -> bool:
        if login not in self._permission:
            self._permission[login] = self._services.forge.permission(login) in MAY_STEER
        return self._permission[login]


def steer(state: RunState, heard: Heard, services: Services) -> RunState:
    """Apply what was heard, answering each command once."""
    state = state.model_copy(
        update={
            "seen": (*state.seen, *heard.seen),
            "steering": (*state.steering, *heard.wishes),
        }
    )
    for comment in heard.strangers:
        _react(comment, "-1", services)
    for command in heard.commands:
        state, answer = _apply(state, command, services)
        if command.comment:
            known = command.verb in get_args(Verb)
            _react(command.comment, "+1" if known else "-1", services)
        if answer:
            _answer(state, command, answer, services)
    return state


def _react(comment: int, content: Literal["+1", "-1"], services: Services) -> None:
    """On a locked conversation there is no reaction."""
    with suppress(Locked):
        services.forge.react(comment, content)


def _answer(state: RunState, command: Command, answer: str, services: Services) -> None:
    """Where the command was said; on the pull request where that is locked, if it is not."""
    mark = state.mark(f"answer.{command.source}.{command.verb}")
    for place in dict.fromkeys((command.place, state.pull_request or command.place)):
        with suppress(Locked):
            services.forge.comment(mark, place, answer)
            return


def _apply(state: RunState, command: Command, services: Services) -> tuple[RunState, str]:
    running = state.outcome is None
    match command.verb:
        case "status":
            return state, ""
        case "run" | "retry" if state.paused is not None:
            return resumed(state, services), ""
        case "run" if running and state.knows("edited"):
            note = say("outcome_superseded", author=command.author)
            return _anew(state.ending(Outcome.CANCELLED, note), command), ""
        case "run" if running:
            return state, ""
        case "run":
            return _anew(state, command), ""
        case "help":
            return state, page("help")
        case "budget":
            return _budget(state, command.argument, services)
        case "retry" if state.outcome in (Outcome.SPEC_REJECTED, Outcome.MERGED):
            return _anew(state, command), ""
        case "retry":
            going = running and state.legs > 0
            if going:
                return state, say("answer_still_running")
            return again(state, services.clock()), ""
        case verb if verb not in get_args(Verb):
            return state, say("answer_unknown", verb=_short(verb))
        case "revise" if not running:
            state, answer = _revise(state, command)
            return state, answer or say("answer_not_running")
        case _ if not running:
            return state, say("answer_not_running")
        case "cancel":
            note = say("outcome_cancelled", author=command.author)
            return state.ending(Outcome.CANCELLED, note), ""
        case "approve":
            return _approve(state)
        case _:
            return _revise(state, command)


def _short(text: str) -> str:
    return "".join(c for c in text if c.isalnum() or c in "-_")[:30]


def _revise(state: RunState, command: Command) -> tuple[RunState, str]:
    if not command.argument.strip():
        return state, say("answer_revise_empty")
    wish = Steer(author=command.author, text=command.argument)
    return state.model_copy(update={"steering": (*state.steering, wish)}), ""


def _approve(state: RunState) -> tuple[RunState, str]:
    if state.wait.kind != "person" or state.paused is not None:
        return state, say("answer_nothing_to_approve")
    approved = (*state.approved, state.wait.gate)
    following = Phase.SKELETON if state.phase is Phase.ARCHITECTURE else Phase.CODE
    return state.model_copy(update={"approved": approved}).entering(following), ""


def _budget(state: RunState, text: str, services: Services) -> tuple[RunState, str]:
    limits = services.record.top_up(text, state.settings.budget)
    if limits is None:
        return state, say("answer_budget_bad", text=_short(text) or " ")
    settings = state.settings.model_copy(update={"budget": limits})
    changed = state.model_copy(update={"settings": settings})
    usd = "unlimited" if limits.usd is None else f"{limits.usd:.2f}"
    answer = say(
        "answer_budget",
        usd=usd,
        calls=limits.calls or "unlimited",
        tokens=limits.tokens or "unlimited",
    )
    return changed, answer


def _anew(state: RunState, command: Command) -> RunState:
    """Somebody wants a run where one has ended. Only the host can read the spec anew, so it
    decides between a new run and going on with this one."""
    asked = {"anew": True, "anew_by": command.author, "anew_at": command.at}
    return state.model_copy(update=asked)


def again(state: RunState, now: datetime) -> RunState:
    """An ended run goes on where it stopped, from its best commit. The iteration is a new one, so
    that the model is asked anew and not answered from the record; where the budget ended in the
    middle of one, it is the same, and what was answered already is not paid for again. First code
    that no check has judged for want of one is not written anew but judged."""
    phase = state.stopped_in or Phase.OPEN
    unjudged = state.outcome is Outcome.INFRASTRUCTURE_FAILED and state.best is None
    if phase is Phase.CHECK and not unjudged:
        phase = Phase.CODE
    unfinished = state.outcome is Outcome.BUDGET_EXHAUSTED and state.stopped_in is phase
    following = state.iteration if unfinished else state.iteration + 1
    onward = state.model_copy(
        update={
            "phase": phase,
            "iteration": following if phase is not Phase.OPEN else 0,
            "granted": state.iteration if phase in (Phase.CODE, Phase.CHECK) else 0,
            "outcome": None,
            "outcome_note": "",
            "wait": Wait(),
            "stuck": 0,
            "anew": False,
            "overtaken": False,
        }
    )
    return onward.checking(now) if phase is Phase.CHECK else onward


def wishes(state: RunState) -> str:
    """What people asked for, as the agents read it."""
    return "\n".join(
        f"- {w.author}"
        + (f" on `{w.path}` line {w.line}" if w.path else "")
        + f": {w.text.strip()}"
        for w in state.steering
    )
