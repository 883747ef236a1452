"""Later code rounds: the best commit, the repair agenda, anchored repairs by whoever has to do
with it."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

from bot.agents.fixer import Further, Item, Repair, Situation, repair
from bot.agents.replies import ReplyRejected
from bot.agents.sources import Source
from bot.checks.agenda.targets import Target
from bot.checks.agenda.test_support import support_of
from bot.checks.report import Report
from bot.phases.causes import Failed, mending
from bot.phases.contexts import briefs, retriever, with_code, with_shown
from bot.phases.counts import with_questions
from bot.phases.judging import fails
from bot.phases.learning import advice
from bot.phases.objections import objection
from bot.phases.repairs import targets_of, test_texts, with_callees
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.steering import wishes
from bot.phases.texts import say
from bot.phases.writing import judge_statically
from bot.spec.model import Spec
from bot.state.context import CHARACTERS_PER_TOKEN, source_blocks
from bot.state.skeleton import skeleton_of
from bot.verify.evidence import Evidence

_MOST_FAULTS = 12
# Who mends more files than this at once loses sight of them.
_MOST_FILES = 4
_LONGEST_DIAGNOSIS = 600
# The fixer's prompt for code that the bot did not write.
_FOREIGN = "fixer_foreign"


@dataclass(frozen=True)
class _Task:
    """What one fixer is asked: targets, and the files whose source it sees and may change."""

    targets: tuple[Target, ...]
    paths: tuple[str, ...]


def mend(
    state: RunState, spec: Spec, services: Services, files: Mapping[str, str], report: Report
) -> tuple[RunState, Repair]:
    """Ask fixers for edits against the failures of the last check, `files` being the tree that it
    ran on. Raise ReplyRejected where none of them gave a usable reply."""
    python = {p: t for p, t in files.items() if p.endswith(".py")}
    state_of_best = with_code(state, python)
    found_faults = judge_statically(state, files)
    faults = found_faults[:_MOST_FAULTS]
    targets = [
        with_callees(t, state_of_best.project, files)
        for t in targets_of(state_of_best, spec, files, report, faults)
    ]
    tasks = _tasks(state, files, targets)
    services.narrator.tell(state, say("tell_repair", clusters=len(targets), calls=len(tasks)))
    groups = [task.paths for task in tasks]
    shown = briefs(retriever(state_of_best, spec, files, coded=True), groups)
    foreign = state.origin == "failure"
    known = {e.detail for e in found_faults}
    situation = _situation(state, services, report, faults)

    def ask(task: _Task) -> Repair:
        brief = shown.get(task.paths)
        return repair(
            services.desk(state.settings),
            spec,
            state_of_best.project,
            files,
            task.paths,
            situation.model_copy(
                update={"agenda": _items(task, report), "support": _support(task, spec)}
            ),
            step=f"{state.step}/repair" + (f"/{task.paths[0]}" if len(tasks) > 1 else ""),
            overview=brief.prefix if brief is not None else "",
            neighbours=brief.neighbours if brief is not None else _planned(state, task),
            sources=_sources(state, files, task),
            prompt=_FOREIGN if foreign else "",
            objection=objection(state_of_best, spec, files, known) if foreign else None,
        )

    repairs = _together(state, tasks, ask)
    found = _joined(repairs)
    failed = Failed(report=report, code=files, tests=test_texts(spec))
    state = _with_mendings(state, failed, repairs)
    state = with_questions(state, spec, "fixer", groups, shown, coded=True)
    state = with_shown(state, f"{state.step}/repair", shown.values(), {**files, **found.files})
    tried = (*state.tried, found.diagnosis[:_LONGEST_DIAGNOSIS]) if found.diagnosis else state.tried
    return state.model_copy(update={"steering": (), "tried": tried}), found


def _situation(
    state: RunState, services: Services, report: Report, faults: Sequence[Evidence]
) -> Situation:
    """What every fixer of a round is told, but for the agenda."""
    return Situation(
        passed=report.passed,
        total=report.passed + report.failed,
        unread=sum("::" not in t.id for t in report.tests if fails(t)),
        faults=tuple(e.detail for e in faults),
        tried=state.tried[-4:],
        advice=advice(state, services, report),
        steering=wishes(state),
        requirements=", ".join(state.requirements),
    )


def _support(task: _Task, spec: Spec) -> str:
    """What the tests that a fixer is shown use of other files."""
    shown = [
        tests
        for target in task.targets
        for tests in (target.tests, *(other.tests for other in target.others))
    ]
    return support_of((tests[0] for tests in shown if tests), test_texts(spec))


def _tasks(
    state: RunState, files: Mapping[str, str], targets: Sequence[Target]
) -> tuple[_Task, ...]:
    """Targets that share a file go to one fixer. Everything goes to one where nobody is suspected,
    where the suspects alone did not do or cannot be shown, and where a person asks for something,
    which may concern any file."""
    seen = [tuple(p for p in _wanted(state, t) if p in files) for t in targets]
    if seen and all(seen) and state.stuck <= 1 and not state.steering:
        tasks = [
            _Task(t.targets, _fitting(state, files, t.paths)) for t in _disjoint(targets, seen)
        ]
        if all(task.paths for task in tasks):
            return tuple(tasks)
    python = sorted(p for p in files if p.endswith(".py"))
    named = [w.path for w in state.steering if w.path is not None and w.path in files]
    named += [p for paths in seen for p in paths]
    return (_Task(tuple(targets), _fitting(state, files, [*named, *python])),)


def _disjoint(targets: Sequence[Target], seen: Sequence[tuple[str, ...]]) -> list[_Task]:
    """Tasks that share no file, each with as many targets as a fixer can keep in sight, those in
    the order of the agenda; `seen` are the files of each target."""
    tasks: list[_Task] = []
    for target, paths in zip(targets, seen, strict=True):
        sharing = [t for t in tasks if set(t.paths) & set(paths)]
        joined = _Task(
            (*(x for t in sharing for x in t.targets), target),
            tuple(dict.fromkeys((*(p for t in sharing for p in t.paths), *paths))),
        )
        tasks = [t for t in tasks if t not in sharing]
        roomy = next((t for t in tasks if len(t.paths) + len(joined.paths) <= _MOST_FILES), None)
        if roomy is not None:
            tasks.remove(roomy)
            joined = _Task((*roomy.targets, *joined.targets), (*roomy.paths, *joined.paths))
        tasks.append(joined)
    order = {id(t): n for n, t in enumerate(targets)}
    return [_Task(tuple(sorted(t.targets, key=lambda x: order[id(x)])), t.paths) for t in tasks]


def _wanted(state: RunState, target: Target) -> tuple[str, ...]:
    """The responsible files; the further suspects too where mending those did not help."""
    return (*target.files, *target.suspects) if state.stuck else target.files


def _fitting(state: RunState, files: Mapping[str, str], paths: Sequence[str]) -> tuple[str, ...]:
    """As many of the paths as the question has room for."""
    budget = state.settings.context_tokens * CHARACTERS_PER_TOKEN
    kept: list[str] = []
    for path in dict.fromkeys(paths):
        if len(files[path]) <= budget:
            kept.append(path)
            budget -= len(files[path])
    return tuple(kept)


def _planned(state: RunState, task: _Task) -> str:
    """The plan of the files that are not seen, where no context is retrieved."""
    others = {p: t for p, t in skeleton_of(state.project).items() if p not in task.paths}
    return source_blocks(others, state.settings.context_tokens // 2) if others else ""


def _sources(state: RunState, files: Mapping[str, str], task: _Task) -> tuple[Source, ...]:
    """The source that a fixer sees; of a large file only what matters, while that may do."""
    whole = state.stuck or state.steering
    cut = {t.files[0]: t.code for t in task.targets if t.code and t.files and not whole}
    several = [p for t in task.targets for p in t.files]
    return tuple(
        Source(path=p, text=cut[p], part=True)
        if p in cut and several.count(p) == 1
        else Source(path=p, text=files[p].rstrip())
        for p in task.paths
    )


def _items(task: _Task, report: Report) -> tuple[Item, ...]:
    """The agenda as a fixer reads it; what the run itself said where no test could be run, and
    nothing where all is well and only a person's wish is to be met."""
    if not task.targets and not report.green:
        return (Item(title=report.problem, count=0, detail=report.log_tail[-3000:]),)
    return tuple(
        Item(
            title=t.title,
            files=t.files[:2],
            node=t.node,
            evidence=t.evidence,
            tests=t.tests[:6],
            count=max(len(t.tests), t.unlocks),
            unread=sum("::" not in test for test in t.tests),
            detail=t.detail,
            source=t.test_source,
            further=tuple(
                Further(title=case.title, detail=case.detail, source=case.test_source)
                for case in t.others
            ),
        )
        for t in task.targets
    )


def _together(
    state: RunState, tasks: Sequence[_Task], ask: Callable[[_Task], Repair]
) -> list[tuple[_Task, Repair]]:
    """The repairs of all tasks that have one. Tasks share no file; of two that add the same new one
    in different words the first is taken. What was refused is left for the next round unless
    nothing else is there."""
    found: list[tuple[_Task, Repair]] = []
    refused: list[ReplyRejected] = []
    files: dict[str, str] = {}
    with ThreadPoolExecutor(max_workers=state.settings.concurrency) as pool:
        futures = [(task, pool.submit(copy_context().run, ask, task)) for task in tasks]
        for task, future in futures:
            try:
                one = future.result()
                if all(files.get(p, text) == text for p, text in one.files.items()):
                    found.append((task, one))
                    files.update(one.files)
            except ReplyRejected as error:
                refused.append(error)
    if not found:
        raise refused[0]
    return found


def _joined(repairs: Sequence[tuple[_Task, Repair]]) -> Repair:
    """All repairs as one."""
    return Repair(
        diagnosis="\n\n".join(filter(None, (r.diagnosis for _, r in repairs))),
        files={path: text for _, repair in repairs for path, text in repair.files.items()},
    )


def _with_mendings(
    state: RunState, failed: Failed, repairs: Sequence[tuple[_Task, Repair]]
) -> RunState:
    """The state that remembers what each repair was for, where that is told to people who did not
    ask for the code."""
    if state.origin != "failure":
        return state
    new = (
        mending(state.iteration, task.targets, failed, one.files, one.diagnosis)
        for task, one in repairs
    )
    return state.model_copy(update={"mendings": (*state.mendings, *new)})
