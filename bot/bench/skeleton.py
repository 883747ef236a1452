"""Whether the skeleton that is written from the documents alone holds: it compiles, its imports
resolve, the coverage verifier passes it, and Python imports each of its modules."""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.base import RepowrightError
from bot.bench.datasets import Task
from bot.bench.result import BenchResult, Value, share
from bot.checks.environment import running_python
from bot.checks.sandbox import make_sandbox
from bot.doctor.machine import try_sandbox
from bot.ports.sandbox import Limits, Sandbox, SandboxJob
from bot.state.model import ProjectState, module_name
from bot.state.skeleton import skeleton_of
from bot.state.structure import merged, structure_of
from bot.syntax import parse
from bot.verify.coverage import verify_coverage
from bot.verify.evidence import Rule
from bot.verify.gate import gate
from bot.verify.imports import distributions
from bot.verify.usage import missing_exports

_INSIDE = Path(__file__).parent / "inside"
_SECONDS = 120.0


def bench_skeleton(tasks: Sequence[Task]) -> BenchResult:
    """Shares of the skeletons that pass each check; `imports` is None where there is no sandbox."""
    sandbox = _sandbox()
    rows = tuple(_row(task, sandbox) for task in tasks)
    counts = ("files", "modules", "imported")
    figures: dict[str, Value] = {
        key: share(sum(bool(r[key]) for r in rows), len(rows))
        for key in ("compiles", "resolves", "covers")
    }
    figures["imports"] = (
        share(sum(bool(r["imports"]) for r in rows), len(rows)) if sandbox else None
    )
    figures.update({key: sum(int(r[key] or 0) for r in rows) for key in counts})
    figures["model_calls"] = 0
    return BenchResult(bench="skeleton", figures=figures, tasks=rows)


def _sandbox() -> Sandbox | None:
    try:
        try_sandbox()
    except RepowrightError:
        return None
    return make_sandbox("bubblewrap")


def _row(task: Task, sandbox: Sandbox | None) -> dict[str, Value]:
    spec = task.spec()
    state = ProjectState(nodes=structure_of(spec))
    state = ProjectState(nodes=merged(state.nodes, missing_exports(spec, state)))
    files = skeleton_of(state)
    python = ProjectState(nodes=tuple(n for n in state.nodes if n.path.endswith(".py")))
    open_ends = [
        e.detail
        for e in gate(files, None, distributions(spec.requirements))
        if e.rule is not Rule.PLACEHOLDER
    ]
    gaps = [e.detail for e in verify_coverage(python, files)]
    modules = sorted({module_name(path) for path in files} - {""})
    failed = _failed_imports(files, modules, sandbox) if sandbox else None
    reasons = [*open_ends, *gaps, *(f"{m}: {why}" for m, why in (failed or {}).items())]
    return {
        "task": task.name,
        "files": len(files),
        "compiles": all(_compiles(source) for source in files.values()),
        "resolves": not open_ends,
        "covers": not gaps,
        "imports": None if failed is None else not failed,
        "modules": len(modules),
        "imported": None if failed is None else len(modules) - len(failed),
        "first_reason": next(iter(reasons), ""),
    }


def _compiles(source: str) -> bool:
    try:
        parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _failed_imports(
    files: Mapping[str, str], modules: Sequence[str], sandbox: Sandbox
) -> dict[str, str]:
    """Module -> why it cannot be imported; every module where the job did not end by itself."""
    with tempfile.TemporaryDirectory(prefix="repowright-bench-") as folder:
        for path, source in files.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source, "utf-8")
        script = str(_INSIDE / "import_each.py")
        result = sandbox.run(
            SandboxJob(
                argv=(sys.executable, "-s", "-P", "-B", script, *modules),
                workdir=Path(folder),
                readable=(*running_python(), _INSIDE, Path(folder)),
                limits=Limits(seconds=_SECONDS),
            )
        )
    try:
        said = json.loads(result.output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        reason = result.stopped_by or f"exit code {result.returncode}"
        return dict.fromkeys(modules, f"the import job ended with {reason}")
    return {str(module): str(why) for module, why in said.items()}
