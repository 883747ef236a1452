"""Methods that the check tests call on a class where the documents forgot to say so."""

from collections.abc import Mapping

from bot.spec.model import Parameter, Spec
from bot.state.model import Node, NodeKind, ProjectState, file_id, module_name
from bot.state.signatures import accepts
from bot.verify.usage import Use, uses_of

_BOUND = ("staticmethod", "classmethod", "property")


def called_on_class(spec: Spec, state: ProjectState) -> ProjectState:
    """The state in which planned methods that no instance could be given to are class methods: the
    check tests call them on their class, with arguments for all parameters but the first."""
    nodes = {n.id: n for n in state.nodes}
    modules = {module_name(f.path): f.path for f in state.python_files()}
    for use in uses_of(spec, state):
        method = _method(use, nodes, modules)
        if method is not None and _needs_class(use, method):
            first = Parameter(name="cls")
            nodes[method.id] = method.model_copy(
                update={
                    "decorators": (*method.decorators, "classmethod"),
                    "parameters": (first, *_others(method)),
                }
            )
    return state.model_copy(update={"nodes": tuple(nodes.values())})


def _method(use: Use, nodes: Mapping[str, Node], modules: Mapping[str, str]) -> Node | None:
    """The method that `package.module.Class.method` means, re-exports followed."""
    head, _, name = use.name.rpartition(".")
    module, _, owner = head.rpartition(".")
    path = modules.get(module)
    if use.call is None or use.splat or path is None:
        return None
    cls = nodes.get(file_id(path, owner))
    home = modules.get(cls.exported_from or "") if cls is not None else None
    if cls is not None and home is not None:
        cls = nodes.get(file_id(home, cls.value or cls.name))
    if cls is None or cls.kind is not NodeKind.CLASS:
        return None
    found = nodes.get(f"{cls.id}.{name}")
    return found if found is not None and found.kind is NodeKind.FUNCTION else None


def _needs_class(use: Use, method: Node) -> bool:
    bound = any(d.rpartition(".")[2] in _BOUND for d in method.decorators)
    if bound or method.parameters is None or method.name.startswith("__"):
        return False
    whole = (Parameter(name="instance"), *_others(method))
    return bool(accepts(whole, use.positional, use.keywords)) and not accepts(
        _others(method), use.positional, use.keywords
    )


def _others(method: Node) -> tuple[Parameter, ...]:
    """The parameters without the receiver."""
    given = method.parameters or ()
    return given[1:] if given and given[0].name in ("self", "cls") else given
