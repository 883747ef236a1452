"""Later code rounds: the best commit, the ranked agenda, anchored repairs."""

import ast
from collections.abc import Mapping, Sequence

from bot.agents.fixer import AgendaItem, Repair, Situation, repair
from bot.checks.cluster import Cluster, cluster
from bot.checks.report import Report
from bot.phases.run import RunState
from bot.phases.services import Services
from bot.phases.steering import wishes
from bot.phases.texts import say
from bot.phases.writing import judge_statically
from bot.spec.model import Spec
from bot.state.context import CHARACTERS_PER_TOKEN, source_blocks
from bot.state.skeleton import skeleton_of
from bot.syntax import parse
from bot.verify.usage import suspects

_MOST_CLUSTERS = 8
_MOST_FAULTS = 12
_MOST_SUSPECTS = 3


def mend(
    state: RunState, spec: Spec, services: Services, files: Mapping[str, str], report: Report
) -> tuple[RunState, Repair]:
    """Ask the fixer for edits against the failures of the last check."""
    tests = {f.path: f.text for f in spec.check_tests if f.encoding == "utf-8"}
    roots = (state.settings.check_tests,)
    clusters = [
        _with_suspects(c, spec, state)
        for c in cluster(report, tests=roots, files=(*files, *tests))[:_MOST_CLUSTERS]
    ]
    services.narrator.tell(state, say("tell_repair", clusters=len(clusters)))
    shown = _shown(state, files, clusters)
    others = {p: t for p, t in skeleton_of(state.project).items() if p not in shown}
    situation = Situation(
        passed=report.passed,
        total=report.passed + report.failed,
        agenda=tuple(_item(c, tests) for c in clusters) or _unrun(report),
        faults=tuple(e.detail for e in judge_statically(state, files)[:_MOST_FAULTS]),
        tried=state.tried[-4:],
        steering=wishes(state),
        requirements=", ".join(state.requirements),
    )
    found = repair(
        services.desk(state.settings),
        spec,
        files,
        shown,
        situation,
        step=f"{state.step}/repair",
        skeleton=source_blocks(others, state.settings.context_tokens // 2) if others else "",
    )
    tried = (*state.tried, found.diagnosis[:600]) if found.diagnosis else state.tried
    return state.model_copy(update={"steering": (), "tried": tried}), found


def _with_suspects(found: Cluster, spec: Spec, state: RunState) -> Cluster:
    """The cluster with the files that its tests use, behind those that its frames name."""
    used = (p for t in found.tests[:6] for p in suspects(spec, state.project, t))
    return found.model_copy(update={"files": tuple(dict.fromkeys((*found.files, *used)))})


def _shown(
    state: RunState, files: Mapping[str, str], clusters: Sequence[Cluster]
) -> tuple[str, ...]:
    """Files whose source the fixer sees: the suspects; all that fit where nobody is suspected, or
    where mending the suspects did not help."""
    budget = state.settings.context_tokens * CHARACTERS_PER_TOKEN
    suspects = [p for c in clusters for p in c.files[:_MOST_SUSPECTS] if p in files]
    python = sorted(p for p in files if p.endswith(".py"))
    wanted = suspects if suspects and not state.stuck else [*suspects, *python]
    shown: list[str] = []
    for path in dict.fromkeys(wanted):
        if len(files[path]) <= budget:
            shown.append(path)
            budget -= len(files[path])
    return tuple(shown)


def _unrun(report: Report) -> tuple[AgendaItem, ...]:
    """The agenda where no test could run at all; none where nothing fails and only a person's
    wish is to be met."""
    if report.green:
        return ()
    detail = report.log_tail[-3000:]
    return (AgendaItem(title=report.problem, files="", tests="all", count=0, detail=detail),)


def _item(found: Cluster, tests: Mapping[str, str]) -> AgendaItem:
    return AgendaItem(
        title=found.title,
        files=", ".join(f"`{p}`" for p in found.files[:3]),
        tests=", ".join(f"`{t}`" for t in found.tests[:6]),
        count=len(found.tests),
        detail=found.detail,
        source=source_of_test(found.tests[0], tests) if found.tests else "",
    )


def source_of_test(test_id: str, tests: Mapping[str, str]) -> str:
    """Source of one test function; "" where it cannot be found."""
    path, _, names = test_id.partition("::")
    text = tests.get(path, "")
    try:
        body = parse(text).body
    except SyntaxError:
        return ""
    found: ast.stmt | None = None
    for name in names.split("[")[0].split("::"):
        found = next((n for n in body if getattr(n, "name", None) == name), None)
        body = found.body if isinstance(found, ast.ClassDef) else []
    return (ast.get_source_segment(text, found) or "") if found is not None else ""
