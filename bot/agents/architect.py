"""The architect settles what the documents leave open; what they say is taken by parsing."""

from collections.abc import Sequence

from bot.agents.allowed import file_and_folder, first_refusal
from bot.agents.ask import Desk, ask
from bot.agents.prompts import user_prompt
from bot.agents.replies import ArchitectFile, ArchitectReply, ReplyRejected, parse_structure
from bot.base import Data
from bot.spec.model import Location, Spec
from bot.state.context import data_files, material
from bot.state.extract import extract_nodes
from bot.state.model import Node, NodeKind, ProjectState, file_id
from bot.state.reconcile import signature


class Proposal(Data):
    """What the architect adds: nodes that count as asked for, and requirement lines."""

    nodes: tuple[Node, ...]
    requirements: tuple[str, ...] = ()


def propose(
    desk: Desk,
    spec: Spec,
    state: ProjectState,
    open_points: Sequence[str],
    *,
    step: str,
    uses: str,
    steering: str,
) -> Proposal:
    """Ask for the open points; raise ReplyRejected where no usable reply comes."""
    given = frozenset(f.path for f in (*spec.check_tests, *spec.resources))
    planned = [f.path for f in state.files()]

    def read(text: str) -> Proposal:
        reply = parse_structure(text)
        paths = [f.path for f in reply.files]
        why = first_refusal(paths, desk.settings, given) or file_and_folder((*planned, *paths))
        if why:
            raise ReplyRejected(why)
        return _proposal(reply, step)

    question = user_prompt(
        "architect",
        documents=material(spec, desk.settings.context_tokens),
        structure=outline(state),
        data=data_files(spec),
        uses=uses,
        steering=steering,
        open=list(open_points),
    )
    return ask(desk, "architect", step, question, read)


def outline(state: ProjectState) -> str:
    """The structure as an indented list of signatures."""
    lines: list[str] = []
    for file in state.files():
        lines.append(f"{file.path}" + (f": {file.purpose}" if file.purpose else ""))
        for node in state.inside(file.path):
            depth = 1 + node.qualname.count(".")
            lines.append("    " * depth + signature(node))
    return "\n".join(lines)


def _proposal(reply: ArchitectReply, step: str) -> Proposal:
    if not reply.files and not reply.requirements:
        raise ReplyRejected("it settles nothing: neither a file nor a requirement is given")
    nodes = [n for f in reply.files for n in _nodes(f, Location(file=step, line=1))]
    return Proposal(nodes=tuple(nodes), requirements=reply.requirements)


def _nodes(file: ArchitectFile, asked: Location) -> list[Node]:
    """Nodes of one proposed file, read from its signatures as Python."""
    if not file.path.endswith(".py"):
        kind = NodeKind.FILE
        name = file.path.rpartition("/")[2]
        parent = file.path.rpartition("/")[0] or "."
        node = Node(id=file.path, kind=kind, name=name, parent=parent, purpose=file.purpose)
        return [node.model_copy(update={"asked": (asked,)})]
    source = _source(file)
    try:
        found = extract_nodes(file.path, source)
    except SyntaxError as error:
        line = source.splitlines()[(error.lineno or 1) - 1].strip()
        raise ReplyRejected(f"`{line}` of `{file.path}` is not Python: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise ReplyRejected(f"the names of `{file.path}` are not Python: {error}") from error
    purposes = {file_id(file.path, c.name): c.purpose for c in file.classes}
    purposes[file.path] = file.purpose
    return [
        n.model_copy(update={"asked": (asked,), "purpose": purposes.get(n.id, "")}) for n in found
    ]


def _source(file: ArchitectFile) -> str:
    """Stub source of the proposed signatures, so that Python's own parser reads them."""
    lines = list(file.variables)
    lines.extend(f"{_definition(f)}: ..." for f in file.functions)
    for cls in file.classes:
        bases = f"({', '.join(cls.bases)})" if cls.bases else ""
        lines.append(f"class {cls.name}{bases}:")
        lines.extend(f"    {a}" for a in cls.attributes)
        lines.extend(f"    {_definition(m)}: ..." for m in cls.methods)
        lines.append("    ...")
    return "\n".join(lines) + "\n"


def _definition(text: str) -> str:
    text = text.strip().removesuffix(":")
    if text.startswith("async "):
        return text if text.startswith("async def ") else f"async def {text[6:]}"
    return text if text.startswith("def ") else f"def {text}"
