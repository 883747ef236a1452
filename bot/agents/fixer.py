"""The fixer turns failing check tests into anchored edits, checked before they are written."""

from collections.abc import Callable, Mapping, Sequence

from bot.agents.allowed import file_and_folder, first_refusal
from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import Changes, ReplyRejected, apply_edits, parse_changes
from bot.agents.sources import Source, check_packages, check_source
from bot.agents.wanted import named_packages
from bot.base import Data
from bot.config import Settings
from bot.spec.model import Spec
from bot.state.context import data_files, focus, material
from bot.state.model import ProjectState


class Further(Data):
    """Another way in which a target fails."""

    title: str
    detail: str
    source: str = ""


class Item(Data):
    """One target of the repair agenda as the fixer sees it. `count` is how many tests it unlocks,
    and `unread` how many of those named are test files that could not be imported."""

    title: str
    count: int
    files: tuple[str, ...] = ()
    node: str = ""
    evidence: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    unread: int = 0
    detail: str = ""
    source: str = ""
    further: tuple[Further, ...] = ()


class Situation(Data):
    """All that a repair round knows. `unread` counts the test files that could not be imported;
    `support` is source that the shown tests use of other files, `tried` are the diagnoses of
    earlier rounds that did not help, `advice` what earlier repairs taught."""

    passed: int
    total: int
    unread: int = 0
    agenda: tuple[Item, ...] = ()
    support: str = ""
    faults: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    advice: str = ""
    steering: str = ""
    requirements: str = ""


class Repair(Data):
    """The model's diagnosis and the changed files, whole."""

    diagnosis: str
    files: dict[str, str]


def repair(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    files: Mapping[str, str],
    shown: Sequence[str],
    situation: Situation,
    *,
    step: str,
    sources: Sequence[Source],
    overview: str,
    neighbours: str,
    prompt: str = "",
    objection: Callable[[Mapping[str, str]], str] | None = None,
) -> Repair:
    """Edits for the agenda. `files` is the whole tree (path -> text), `shown` the paths whose
    source the model sees as `sources` and which alone it may change beside adding new ones, by
    edits where it sees a part; `overview` and `neighbours` say what else there is. `prompt` names
    another system prompt than the fixer's own, and `objection` says why changed files (path ->
    text) cannot be taken. Raise ReplyRejected where no usable reply comes."""

    named = named_packages(
        spec,
        (*desk.settings.dependencies.allow, *situation.requirements.split(", ")),
        situation.steering,
    )

    def read(text: str) -> Repair:
        changes = parse_changes(text)
        _refuse(changes, desk.settings, spec, files, shown, sources)
        whole = {f.path: f.text for f in changes.files}
        changed = {**whole, **apply_edits({**files, **whole}, changes.edits)}
        for path, source in changed.items():
            check_source(path, source, files.get(path, ""))
            check_packages(path, source, files.get(path, ""), named)
        changed = {p: s for p, s in changed.items() if files.get(p) != s}
        if not changed:
            raise ReplyRejected("its edits change nothing")
        if objection is not None and (why := objection(changed)):
            raise ReplyRejected(why)
        return Repair(diagnosis=changes.explanation, files=changed)

    question = user_prompt(
        "fixer",
        documents=material(spec, desk.settings.context_tokens, parsed=True, state=state),
        focus="\n\n".join(filter(None, (focus(spec, state, p) for p in shown))),
        requirements=situation.requirements,
        data=data_files(spec),
        overview=overview,
        sources=sources,
        neighbours=neighbours,
        passed=situation.passed,
        total=situation.total,
        unread=situation.unread,
        agenda=situation.agenda,
        support=situation.support,
        faults=situation.faults,
        tried=situation.tried,
        advice=situation.advice,
        steering=situation.steering,
    )
    return ask(desk, "fixer", step, question, read, prompt)


def _refuse(
    changes: Changes,
    settings: Settings,
    spec: Spec,
    files: Mapping[str, str],
    shown: Sequence[str],
    sources: Sequence[Source],
) -> None:
    """Raise ReplyRejected where a reply changes what it may not, or what it has not seen."""
    paths = [*(f.path for f in changes.files), *(e.path for e in changes.edits)]
    if not paths:
        raise ReplyRejected('it holds neither an `<edit path="…">` nor a `<file path="…">`')
    given = frozenset(f.path for f in (*spec.check_tests, *spec.resources))
    why = first_refusal(paths, settings, given) or file_and_folder((*files, *paths))
    if why:
        raise ReplyRejected(why)
    unseen = next((p for p in paths if p in files and p not in shown), None)
    if unseen:
        raise ReplyRejected(
            f"`{unseen}` was not shown, so it cannot be changed; mend it in what was shown"
        )
    parts = frozenset(s.path for s in sources if s.part)
    cut = next((f.path for f in changes.files if f.path in parts), None)
    if cut:
        raise ReplyRejected(
            f"of `{cut}` only a part was shown, so it cannot be given whole; give edits"
        )
