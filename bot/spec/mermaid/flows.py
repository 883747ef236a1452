"""Flow and package diagrams (graph, flowchart), read line by line."""

import re

from lark import Token, Tree, UnexpectedInput

from bot.spec.mermaid.grammar import grammar
from bot.spec.mermaid.source import Line, Source, plain_label
from bot.spec.model import GraphEdge, GraphNode, Location, PackageDiagram, Problem
from bot.spec.problems import problem

_GROUP = re.compile(r"^(?P<id>[\w./-]+)?\s*(?:\[\s*(?P<title>.*?)\s*\])?$")
_LABEL = re.compile(r"^[<xo]?(?:--|-\.|==)\s*(?P<text>.*?)\s*(?:--+|\.+-|==+)[>xo]?$")


class FlowReader:
    """Reads one flow diagram."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[str, GraphNode] = {}
        self.edges: dict[tuple[str, str, str], GraphEdge] = {}
        self.problems: list[Problem] = []
        self.groups: list[tuple[str, str, Location]] = []
        self.group_ids: dict[str, str] = {}

    def read(self, lines: list[Line]) -> tuple[PackageDiagram, tuple[Problem, ...]]:
        """`lines` begin with the diagram's header."""
        for line in lines[1:]:
            self._statement(line)
        for _, title, opened in self.groups:
            what = f"subgraph {title}"
            self.problems.append(problem("mermaid-unclosed", opened, what=what, mark="end"))
        diagram = PackageDiagram(
            nodes=tuple(self.nodes.values()),
            edges=tuple(self.edges.values()),
            location=self.source.place(lines[0]),
        )
        return diagram, tuple(self.problems)

    def _statement(self, line: Line) -> None:
        try:
            tree = grammar("flow_line").parse(line.text)
        except UnexpectedInput as error:
            column = max(0, getattr(error, "column", 1) - 1)
            place = self.source.place(line, min(column, len(line.text)))
            self.problems.append(problem("mermaid-flow-line", place, text=line.text))
            return
        statement = tree.children[0]
        if not isinstance(statement, Tree):
            return
        match statement.data:
            case "subgraph":
                self._subgraph(line, str(statement.children[0] or ""))
            case "end":
                self._end(line)
            case "chain":
                self._chain(line, statement.children)

    def _subgraph(self, line: Line, text: str) -> None:
        """`subgraph id`, `subgraph id [title]`, `subgraph "title"`, `subgraph Any Title`."""
        found = _GROUP.match(text.strip())
        name = found["id"] or "" if found else ""
        title = plain_label((found["title"] or "") if found else text) or plain_label(name)
        self.groups.append((name, title, self.source.place(line)))

    def _end(self, line: Line) -> None:
        if self.groups:
            self.groups.pop()
        else:
            self.problems.append(problem("mermaid-stray", self.source.place(line), mark="end"))

    def _chain(self, line: Line, parts: list[Tree[Token] | Token]) -> None:
        previous: list[str] = []
        label = ""
        for part in parts:
            if not isinstance(part, Tree):
                continue
            if part.data == "link":
                label = _link_label(part)
                continue
            current = [self._node(line, n) for n in part.children if isinstance(n, Tree)]
            for source in previous:
                for target in current:
                    self._edge(source, target, label, line)
            previous = current

    def _node(self, line: Line, node: Tree[Token]) -> str:
        name = str(node.children[0])
        shape = node.children[1]
        title = _title(str(shape.children[0])) if isinstance(shape, Tree) else ""
        old = self.nodes.get(name)
        if old is None:
            offset = getattr(node.meta, "start_pos", 0)
            self.nodes[name] = GraphNode(
                id=name,
                title=title or name,
                group=tuple(t for _, t, _ in self.groups),
                location=self.source.place(line, offset),
            )
        elif title:
            self.nodes[name] = old.model_copy(update={"title": title})
        return name

    def _edge(self, source: str, target: str, label: str, line: Line) -> None:
        edge = GraphEdge(
            source=source, target=target, label=label, location=self.source.place(line)
        )
        self.edges.setdefault((source, target, label), edge)


def _title(shape: str) -> str:
    """The text of a node's shape, without the brackets that draw it."""
    if shape.startswith("@"):
        found = re.search(r"label:\s*\"([^\"]*)\"", shape)
        return plain_label(found[1]) if found else ""
    return plain_label(shape.strip().lstrip("[({>/\\").rstrip("])}/\\"))


def _link_label(link: Tree[Token]) -> str:
    texts = [str(t) for t in link.children if t is not None]
    for text in texts:
        if text.startswith("|"):
            return plain_label(text.strip("|"))
    found = _LABEL.match(texts[0]) if texts else None
    return plain_label(found["text"]) if found and found["text"].strip("-=. ") else ""
