"""The first code round: all files at the same time against the frozen skeleton (design 1)."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property

from bot.agents.allowed import refusal
from bot.agents.coder import Assignment, write_files
from bot.agents.replies import ReplyRejected
from bot.phases.bundles import bundles
from bot.phases.contexts import Briefs, briefs, retriever, with_code, with_predicted, with_shown
from bot.phases.counts import with_questions
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.steering import wishes
from bot.phases.texts import say
from bot.phases.tree import given_paths
from bot.spec.model import Spec
from bot.state.relations import strength
from bot.state.skeleton import is_complete
from bot.verify.coverage import verify_coverage
from bot.verify.evidence import Evidence, Rule
from bot.verify.gate import gate
from bot.verify.imports import distributions
from bot.verify.usage import call_shapes

# Every file costs some words whatever its skeleton says; in characters of skeleton.
_LEAST_SIZE = 200


def write_all(
    state: RunState, spec: Spec, services: Services, skeleton: Mapping[str, str]
) -> tuple[RunState, dict[str, str]]:
    """Source of every planned file. A file whose replies could not be used keeps its skeleton and
    is noted; where no file could be written at all, raise ReplyRejected."""
    state = with_predicted(state, spec, {p: t for p, t in skeleton.items() if p.endswith(".py")})
    writing = _Writing(state, spec, services, dict(skeleton))
    paths = _to_write(state, spec, skeleton)
    groups = _groups(state, skeleton, paths)
    services.narrator.tell(state, say("tell_code", files=len(paths), calls=len(groups)))
    shown = briefs(retriever(state, spec, skeleton, coded=False), groups)
    written, failed = writing.each(groups, "write", shown)
    if paths and not written:
        raise next(iter(failed.values()))
    files = {**skeleton, **written}
    state = with_questions(state, spec, "coder", groups, shown, coded=False)
    state, mended = _gated(writing, state, files, paths)
    files.update(mended)
    notes = [say("note_file_failed", path=p, why=e.what) for p, e in sorted(failed.items())]
    state = with_shown(state, f"{state.step}/write", shown.values(), files)
    return state.model_copy(update={"notes": (*state.notes, *notes), "steering": ()}), files


def _gated(
    writing: "_Writing", state: RunState, files: Mapping[str, str], paths: Sequence[str]
) -> tuple[RunState, dict[str, str]]:
    """New sources of the files that the static gate refuses, each written once more with the
    others as they are now in sight."""
    services = writing.services
    faults = gate_faults(state, files, paths)
    if not faults:
        return state, {}
    count = sum(len(f) for f in faults.values())
    services.narrator.tell(state, say("tell_gate", faults=count, files=len(faults)))
    groups = [(p,) for p in sorted(faults)]
    python = {p: t for p, t in files.items() if p.endswith(".py")}
    after = with_code(state, python)
    shown = briefs(retriever(after, writing.spec, files, coded=True), groups)
    refused = {p: files[p] for p in faults}
    said = {p: [e.detail for e in found] for p, found in faults.items()}
    state = with_questions(state, writing.spec, "coder", groups, shown, coded=True)
    return state, writing.each(groups, "mend", shown, refused=refused, faults=said)[0]


@dataclass(frozen=True)
class _Writing:
    """One round in which files are written, with what all its calls share."""

    state: RunState
    spec: Spec
    services: Services
    skeleton: dict[str, str]

    @cached_property
    def _assignment(self) -> Assignment:
        return Assignment(
            skeleton={p: t for p, t in self.skeleton.items() if p.endswith(".py")},
            uses=call_shapes(self.spec, self.state.project),
            requirements=", ".join(self.state.requirements),
            steering=wishes(self.state),
        )

    def each(
        self,
        groups: Sequence[tuple[str, ...]],
        what: str,
        shown: Briefs,
        *,
        refused: Mapping[str, str] | None = None,
        faults: Mapping[str, Sequence[str]] | None = None,
    ) -> tuple[dict[str, str], dict[str, ReplyRejected]]:
        """Write all groups at once; what was refused is kept apart, by path."""
        assignment = self._assignment

        def write(group: tuple[str, ...]) -> dict[str, str]:
            return write_files(
                self.services.desk(self.state.settings),
                self.spec,
                self.state.project,
                assignment,
                group,
                step=f"{self.state.step}/{what}/{_named(group)}",
                brief=shown.get(group),
                refused={p: refused[p] for p in group} if refused else None,
                faults=[f for p in group for f in faults[p]] if faults else (),
            )

        return _each(self.state, groups, write)


def _groups(
    state: RunState, skeleton: Mapping[str, str], paths: Sequence[str]
) -> list[tuple[str, ...]]:
    """The files of each call: small ones that have to do with each other share one."""
    if not state.settings.switches.bundles:
        return [(path,) for path in paths]
    sizes = {p: len(skeleton.get(p, "")) + _LEAST_SIZE for p in paths}
    return bundles(sizes, strength(state.project.predicted))


def _to_write(state: RunState, spec: Spec, skeleton: Mapping[str, str]) -> list[str]:
    """Planned files that somebody has to write: not given, allowed, and not complete already."""
    given = given_paths(spec) | {f.path for f in spec.present}
    return [
        n.path
        for n in state.project.files()
        if not refusal(n.path, state.settings, given)
        and n.name != "requirements.txt"
        and (n.path.endswith(".py") or n.asked)
        and not (n.path in skeleton and is_complete(n.path, skeleton[n.path]))
    ]


def _named(group: tuple[str, ...]) -> str:
    """A group of files as part of a step's name."""
    return group[0] if len(group) == 1 else f"{group[0]}+{len(group) - 1}"


def _each(
    state: RunState,
    groups: Sequence[tuple[str, ...]],
    work: Callable[[tuple[str, ...]], dict[str, str]],
) -> tuple[dict[str, str], dict[str, ReplyRejected]]:
    """Do the work for all groups at once; what was refused is kept apart, by path."""
    done: dict[str, str] = {}
    failed: dict[str, ReplyRejected] = {}
    with ThreadPoolExecutor(max_workers=state.settings.concurrency) as pool:
        futures = {group: pool.submit(copy_context().run, work, group) for group in groups}
        for group, future in futures.items():
            try:
                done.update(future.result())
            except ReplyRejected as error:
                failed.update(dict.fromkeys(group, error))
    return done, failed


def gate_faults(
    state: RunState, files: Mapping[str, str], paths: Sequence[str]
) -> dict[str, list[Evidence]]:
    """Faults of the static gate and of coverage, by file, for the files in `paths`."""
    by_path: dict[str, list[Evidence]] = {}
    for fault in judge_statically(state, files):
        place = fault.location.file if fault.location else fault.subject
        if place in paths:
            by_path.setdefault(place, []).append(fault)
    return by_path


def judge_statically(state: RunState, files: Mapping[str, str]) -> list[Evidence]:
    """What the tools say of a tree before a test is run; nothing where they are switched off, nor
    what they said already of code that was there before the run."""
    switches = state.settings.switches
    if not (switches.tools and switches.gate):
        return []
    python = {p: t for p, t in files.items() if p.endswith(".py")}
    planned = state.project.model_copy(
        update={"nodes": tuple(n for n in state.project.nodes if n.asked)}
    )
    present = {**dict.fromkeys((n.path for n in planned.files()), ""), **files}
    found = (
        *gate(python, None, distributions(state.requirements)),
        *(e for e in verify_coverage(planned, present) if e.rule is not Rule.SYNTAX),
    )
    return [e for e in found if e.detail not in state.known]
