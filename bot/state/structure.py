"""The first structure, taken from what the documents already say (E, III-A and III-B)."""

from collections.abc import Iterable
from pathlib import PurePosixPath

from bot.spec.model import (
    Member,
    Parameter,
    PlannedClass,
    PlannedFile,
    PlannedFunction,
    PlannedVariable,
    Spec,
    UmlClass,
)
from bot.state.model import Attribute, Node, NodeKind, file_id, module_name, ordered
from bot.state.prose import bases_in_prose, dataclass_in_prose, with_exports
from bot.state.signatures import is_expression, richer


def structure_of(spec: Spec) -> tuple[Node, ...]:
    """Nodes that the architecture document and the UML ask for, sorted by id, modules included."""
    nodes = structure_of_files(spec.files)
    for diagram in spec.class_diagrams:
        bases = {
            (r.source, r.target) for r in diagram.relations if r.kind in ("inherit", "realize")
        }
        for box in diagram.classes:
            _merge_box(nodes, box, [t for s, t in sorted(bases) if s == box.name])
    nodes = without_base_cycles(nodes)
    return ordered(with_modules(with_exports(nodes)))


def without_base_cycles(nodes: dict[str, Node]) -> dict[str, Node]:
    """The nodes with every base dropped that would make a class its own ancestor: an arrow of
    the UML that was drawn the wrong way round."""
    classes = {n.name: n for n in nodes.values() if n.kind is NodeKind.CLASS}
    kept: dict[str, tuple[str, ...]] = {}

    def reaches(start: str, goal: str, seen: frozenset[str]) -> bool:
        return start == goal or any(
            reaches(base, goal, seen | {start})
            for base in kept.get(start, ())
            if base in classes and base not in seen
        )

    for name in sorted(classes, key=lambda c: not bases_in_prose(classes[c].purpose)):
        for base in classes[name].bases:
            if base not in classes or not reaches(base, name, frozenset()):
                kept[name] = (*kept.get(name, ()), base)
    return {
        key: node.model_copy(update={"bases": kept.get(node.name, ())})
        if node.kind is NodeKind.CLASS and classes[node.name].id == key
        else node
        for key, node in nodes.items()
    }


def structure_of_files(files: Iterable[PlannedFile]) -> dict[str, Node]:
    """Nodes of planned files, by id, without modules."""
    nodes: dict[str, Node] = {}
    for file in files:
        if any(c in file.path for c in "*?["):
            continue
        _put(
            nodes,
            Node(
                id=file.path,
                kind=NodeKind.FILE,
                name=PurePosixPath(file.path).name,
                parent=str(PurePosixPath(file.path).parent),
                purpose=file.responsibility,
                asked=(file.location,),
            ),
        )
        if file.path.endswith(".py"):
            _content(nodes, file)
    return nodes


def with_modules(nodes: dict[str, Node]) -> dict[str, Node]:
    """Add a module node for each folder that holds Python files, and their parents."""
    out = dict(nodes)
    for node in nodes.values():
        if node.kind is not NodeKind.FILE or not node.path.endswith(".py"):
            continue
        for folder in PurePosixPath(node.path).parents:
            name = str(folder)
            if name != ".":
                parent = str(folder.parent) if str(folder.parent) != "." else None
                out.setdefault(
                    name, Node(id=name, kind=NodeKind.MODULE, name=folder.name, parent=parent)
                )
    return out


def merged(nodes: Iterable[Node], new: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes with new ones added, and those that stand already filled up."""
    out = {n.id: n for n in nodes}
    for node in new:
        if node.kind is not NodeKind.MODULE:
            _put(out, node)
    return ordered(with_modules(out))


def homeless(spec: Spec, nodes: Iterable[Node]) -> tuple[UmlClass, ...]:
    """Boxes of the UML that no file holds: what the architect has to place. A variable may stand
    for a box, such as a list for an enumeration."""
    held = {
        n.name
        for n in nodes
        if n.kind is NodeKind.CLASS or (n.kind is NodeKind.GLOBAL and n.exported_from is None)
    }
    modules = {PurePosixPath(n.path).stem for n in nodes if n.kind is NodeKind.FILE}
    functions = {n.name for n in nodes if n.kind is NodeKind.FUNCTION}
    return tuple(
        box
        for diagram in spec.class_diagrams
        for box in diagram.classes
        if box.declared
        and not box.external
        and _plain(box.name) not in held
        and not (box.module and _plain(box.module) in modules)
        and not (
            box.hosts_globals
            and all(m.name in functions for m in box.members if m.kind == "method")
        )
        and box.members
    )


def _content(nodes: dict[str, Node], file: PlannedFile) -> None:
    for cls in file.classes:
        _class(nodes, file.path, "", cls, file.path)
    for function in file.functions:
        _put(nodes, _function_node(file.path, "", function, file.path))
    for variable in file.variables:
        _put(nodes, _variable_node(file.path, variable))


def _class(nodes: dict[str, Node], path: str, prefix: str, cls: PlannedClass, parent: str) -> None:
    if not cls.name.isidentifier():
        return
    node = Node(
        id=file_id(path, prefix + cls.name),
        kind=NodeKind.CLASS,
        name=cls.name,
        parent=parent,
        purpose=cls.responsibility,
        bases=cls.bases or bases_in_prose(cls.responsibility),
        decorators=cls.decorators or dataclass_in_prose(cls.responsibility),
        attributes=tuple(
            Attribute(name=a.name, annotation=a.annotation, value=a.value)
            for a in cls.attributes
            if a.name.isidentifier()
        ),
        asked=(cls.location,),
    )
    _put(nodes, node)
    for method in cls.methods:
        _put(nodes, _function_node(path, f"{prefix}{cls.name}.", method, node.id))
    for inner in cls.classes:
        _class(nodes, path, f"{prefix}{cls.name}.", inner, node.id)


def _function_node(path: str, prefix: str, f: PlannedFunction, parent: str) -> Node:
    return Node(
        id=file_id(path, prefix + f.name),
        kind=NodeKind.FUNCTION,
        name=f.name,
        parent=parent,
        purpose=f.responsibility,
        parameters=f.parameters,
        returns=f.returns,
        decorators=f.decorators,
        is_async=f.is_async,
        asked=(f.location,),
    )


def _variable_node(path: str, variable: PlannedVariable) -> Node:
    return Node(
        id=file_id(path, variable.name),
        kind=NodeKind.GLOBAL,
        name=variable.name,
        parent=path,
        purpose=variable.responsibility,
        annotation=variable.annotation,
        value=variable.value,
        asked=(variable.location,),
    )


def _put(nodes: dict[str, Node], node: Node) -> None:
    """Add a node, or fill up the one that stands under its id."""
    if not all(part.isidentifier() for part in node.qualname.split(".") if part):
        return
    old = nodes.get(node.id)
    nodes[node.id] = node if old is None else _filled(old, node)


def _filled(old: Node, new: Node) -> Node:
    """The first node with what the second knows more; a class or function takes the place of a
    variable of its name."""
    if old.kind is NodeKind.GLOBAL and new.kind in (NodeKind.CLASS, NodeKind.FUNCTION):
        old, new = new, old
    known = {a.name for a in old.attributes}
    return old.model_copy(
        update={
            "purpose": old.purpose or new.purpose,
            "parameters": richer(old.parameters, new.parameters),
            "returns": old.returns or new.returns,
            "decorators": _decorators(old, new),
            "is_async": old.is_async or new.is_async,
            "bases": old.bases or new.bases,
            "attributes": (
                *old.attributes,
                *(a for a in new.attributes if a.name not in known),
            ),
            "annotation": old.annotation or new.annotation,
            "value": old.value or new.value,
            "asked": tuple(dict.fromkeys((*old.asked, *new.asked))),
        }
    )


def _decorators(old: Node, new: Node) -> tuple[str, ...]:
    """What one says, else the other; that a method is abstract adds to what kind it is."""
    abstract = "abstractmethod" in new.decorators and "abstractmethod" not in old.decorators
    return (*old.decorators, "abstractmethod") if abstract else old.decorators or new.decorators


def _plain(name: str) -> str:
    """`pkg.mod.Class` as the class's own name."""
    return name.rpartition(".")[2]


def _merge_box(nodes: dict[str, Node], box: UmlClass, bases: list[str]) -> None:
    """Fill the node of a UML box from its members; boxes that no file holds are left alone."""
    if box.hosts_globals or box.module:
        _merge_functions(nodes, box)
        return
    name = _plain(box.name)
    home = next((n for n in nodes.values() if n.kind is NodeKind.CLASS and n.name == name), None)
    if home is None:
        return
    taken = {n.name for n in nodes.values() if n.parent == home.id}
    attributes = tuple(
        Attribute(name=m.name, annotation=_annotation(m.type))
        for m in box.members
        if m.kind == "attribute" and m.name.isidentifier() and m.name not in taken
    )
    _put(
        nodes,
        home.model_copy(
            update={
                "bases": tuple(_plain(b) for b in bases),
                "attributes": attributes,
                "asked": (box.location,),
            }
        ),
    )
    attribute_names = {a.name for a in home.attributes}
    for member in box.members:
        if member.kind == "attribute":
            _as_property(nodes, f"{home.id}.{member.name}")
    for member in box.members:
        if member.kind == "method" and member.name not in attribute_names:
            _put(nodes, _method(home, member))


def _as_property(nodes: dict[str, Node], node_id: str) -> None:
    """A member that the UML shows as an attribute and the architecture as a method that takes
    nothing is a property."""
    node = nodes.get(node_id)
    if node is None or node.kind is not NodeKind.FUNCTION or node.decorators:
        return
    if all(p.name in ("self", "cls") for p in node.parameters or ()):
        nodes[node_id] = node.model_copy(update={"decorators": ("property",)})


def _merge_functions(nodes: dict[str, Node], box: UmlClass) -> None:
    for member in box.members:
        if member.kind != "method":
            continue
        for node in list(nodes.values()):
            at_top = node.kind is NodeKind.FUNCTION and node.id == file_id(node.path, member.name)
            if at_top and (not box.module or _names_module(box.module, node.path)):
                _put(nodes, _method(node, member, top=True))


def _names_module(module: str, path: str) -> bool:
    dotted = module_name(path)
    return dotted == module or dotted.endswith(f".{module}") or PurePosixPath(path).stem == module


def _method(home: Node, member: Member, *, top: bool = False) -> Node:
    return Node(
        id=home.id if top else f"{home.id}.{member.name}",
        kind=NodeKind.FUNCTION,
        name=member.name,
        parent=home.parent if top else home.id,
        parameters=None if member.open_ended else _clean(member.parameters),
        returns=_annotation(member.type),
        decorators=_kind_of(member) if not top else (),
        asked=(member.location,),
    )


def _kind_of(member: Member) -> tuple[str, ...]:
    kinds = [("staticmethod", member.static), ("abstractmethod", member.abstract)]
    return tuple(name for name, holds in kinds if holds)


def _clean(parameters: tuple[Parameter, ...] | None) -> tuple[Parameter, ...] | None:
    """Parameters with annotations that are Python, the others dropped."""
    if parameters is None:
        return None
    return tuple(
        p.model_copy(update={"annotation": _annotation(p.annotation)})
        for p in parameters
        if p.name.isidentifier() or p.name in ("*", "/")
    )


def _annotation(text: str | None) -> str | None:
    return text if text and is_expression(text) else None
