"""`repowright tools`: the eight tools, each by hand on a spec folder."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from bot.base import ExitCode, RepowrightError
from bot.phases.tree import texts_of
from bot.plainconsole import PlainConsole
from bot.spec.folder import spec_from_files
from bot.spec.model import Location, Spec
from bot.specfolder import read_folder
from bot.state.model import Node, NodeKind, ProjectState
from bot.state.reconcile import change_of, reconcile
from bot.state.skeleton import skeleton_of
from bot.state.structure import merged, structure_of
from bot.terminal import print_json
from bot.verify.evidence import Evidence
from bot.verify.tools.artifacts import Artifact, Binding
from bot.verify.tools.catalogue import ToolName, catalogue
from bot.verify.tools.requirements import Passage, passages_of
from bot.verify.tools.search import Hit
from bot.verify.tools.symbols import Symbol
from bot.verify.tools.toolbox import Toolbox
from bot.verify.usage import missing_exports

Found = Sequence[Passage | Symbol | Artifact | Hit | Evidence]


def tools(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One of the eight.")] = "",
    folder: Annotated[
        Path | None, typer.Argument(metavar="[SPEC]", help="Folder with PRD.md and the others.")
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGUMENT...]", help="What the tool asks for.")
    ] = None,
    code: Annotated[
        Path | None, typer.Option("--code", metavar="DIR", help="Code to hold against the spec.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List the eight tools, or ask one of them about a spec."""
    if not name:
        _list(json=json)
        return
    tool = _named(name)
    if folder is None:
        raise typer.BadParameter("give the folder of a spec behind the tool's name")
    found = _RUN[tool](_toolbox(folder, code, tool), arguments or [])
    if json:
        key = "evidence" if tool in _VERIFIERS else "results"
        print_json({"tool": tool, key: [f.model_dump(mode="json") for f in found]})
    else:
        _show(PlainConsole(), tool, found)
    faults = any(isinstance(f, Evidence) and f.verdict == "fault" for f in found)
    raise typer.Exit(ExitCode.FAILED if faults else ExitCode.OK)


def _named(name: str) -> ToolName:
    try:
        return ToolName(name)
    except ValueError as error:
        raise RepowrightError(
            f"there is no tool `{name}`", hint=f"choose one of {', '.join(ToolName)}"
        ) from error


def _toolbox(folder: Path, code: Path | None, tool: ToolName) -> Toolbox:
    """The tools on the structure that the documents give. With a code folder the structure
    verifier looks at both merged, and what compares documents with a structure at the code's."""
    spec = spec_from_files(read_folder(folder))
    project = _structure(spec)
    skeleton = skeleton_of(project) if tool in _OF_SOURCES else {}
    files = _sources(code, project) if code is not None else {}
    if code is not None and tool in _OF_CODE:
        planned = project if tool is ToolName.STRUCTURE else ProjectState(nodes=_plain(files))
        project, _ = reconcile(planned, change_of(files, files))
    elif code is None and tool is ToolName.COVERAGE:
        project = _only_python(project)
    return Toolbox(
        spec=spec, project=project, phase="by hand", agent="user", skeleton=skeleton, code=files
    )


def _structure(spec: Spec) -> ProjectState:
    """What the architecture phase computes before it asks anybody."""
    project = ProjectState(nodes=structure_of(spec))
    return ProjectState(nodes=merged(project.nodes, missing_exports(spec, project)))


def _only_python(project: ProjectState) -> ProjectState:
    """Skeletons are of Python files alone."""
    return ProjectState(nodes=tuple(n for n in project.nodes if n.path.endswith(".py")))


def _plain(files: Iterable[str]) -> tuple[Node, ...]:
    """Nodes of the files that are not Python."""
    plain = sorted(p for p in files if not p.endswith(".py"))
    return tuple(Node(id=p, kind=NodeKind.FILE, name=PurePosixPath(p).name) for p in plain)


def _sources(code: Path, project: ProjectState) -> dict[str, str]:
    """Path -> text of the code folder; a planned file that is hidden or no text counts as there,
    and is empty."""
    if not code.is_dir():
        raise RepowrightError(
            "there is no such folder", where=str(code), hint="give the root of the code to --code"
        )
    there = {n.path: "" for n in project.files() if (code / n.path).is_file()}
    return {**there, **texts_of(read_folder(code))}


def _passages(box: Toolbox, arguments: list[str]) -> Found:
    if not arguments:
        return [p.model_copy(update={"text": ""}) for p in passages_of(box.spec)]
    return [p for one in arguments for p in box.requirements(one)]


def _symbols(box: Toolbox, arguments: list[str]) -> Found:
    return box.symbols(*arguments)


def _artifact(box: Toolbox, arguments: list[str]) -> Found:
    if not arguments:
        raise typer.BadParameter("give the path of a file or folder of the project")
    kinds = arguments[1:] or [Binding.ARCHITECTURE]
    for kind in kinds:
        if kind not in list(Binding):
            raise RepowrightError(
                f"there is no artifact `{kind}`", hint=f"choose one of {', '.join(Binding)}"
            )
    return [box.artifact(arguments[0], kind) for kind in kinds]


def _hits(box: Toolbox, arguments: list[str]) -> Found:
    if not arguments:
        raise typer.BadParameter("give one or more keywords")
    return box.search(" ".join(arguments))


def _verifier(ask: Callable[[Toolbox], list[Evidence]]) -> Callable[[Toolbox, list[str]], Found]:
    def run(box: Toolbox, arguments: list[str]) -> Found:
        if arguments:
            raise typer.BadParameter("a verifier asks for nothing but the folder")
        return ask(box)

    return run


_RUN: Mapping[ToolName, Callable[[Toolbox, list[str]], Found]] = {
    ToolName.REQUIREMENTS: _passages,
    ToolName.SYMBOLS: _symbols,
    ToolName.ARTIFACTS: _artifact,
    ToolName.SEARCH: _hits,
    ToolName.STRUCTURE: _verifier(Toolbox.structure),
    ToolName.INTERFACES: _verifier(Toolbox.interfaces),
    ToolName.MISSING_FILES: _verifier(Toolbox.missing_files),
    ToolName.COVERAGE: _verifier(Toolbox.coverage),
}
_WIDTH = max(len(name) for name in ToolName) + 2
_VERIFIERS = (
    ToolName.STRUCTURE,
    ToolName.INTERFACES,
    ToolName.MISSING_FILES,
    ToolName.COVERAGE,
)
_OF_SOURCES = (ToolName.ARTIFACTS, ToolName.COVERAGE)
_OF_CODE = (
    ToolName.SYMBOLS,
    ToolName.STRUCTURE,
    ToolName.INTERFACES,
    ToolName.MISSING_FILES,
)


def _list(*, json: bool) -> None:
    if json:
        print_json({"tools": [t.model_dump(mode="json") for t in catalogue()]})
        return
    console = PlainConsole()
    for entry in catalogue():
        line = Text(entry.name.ljust(_WIDTH), style="bold")
        line.append(entry.does, style="not bold")
        console.print(line, soft_wrap=True)


def _show(console: Console, tool: ToolName, found: Found) -> None:
    if not found:
        console.print("no fault found" if tool in _VERIFIERS else "nothing found")
    for one in found:
        head = Text(_place(one.location), style="cyan")
        head.append(f"  {_title(one)}", style="bold")
        console.print(head, soft_wrap=True)
        text = one.text if isinstance(one, Passage | Artifact | Hit) else ""
        if text:
            console.print(text, markup=False, highlight=False, soft_wrap=True)
            console.print()


def _title(one: Passage | Symbol | Artifact | Hit | Evidence) -> str:
    if isinstance(one, Passage):
        return f"{one.id}  {one.title}"
    if isinstance(one, Symbol):
        return f"{one.kind:8} {one.signature}" + (f"  # {one.purpose}" if one.purpose else "")
    if isinstance(one, Artifact):
        return f"{one.binding} of {one.path}"
    if isinstance(one, Hit):
        return f"{one.score:.2f}  {one.heading}"
    return f"{one.verdict} ({one.rule}): {one.detail}"


def _place(place: Location | None) -> str:
    return f"{place.file}:{place.line}" if place is not None else ""
