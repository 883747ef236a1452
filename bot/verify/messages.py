"""Sequence diagrams as obligations: a message `A ->> B: m()` means that some code of A calls m of
B. Reported is only what no code can be seen to fulfil in any way."""

import builtins
import re
from collections.abc import Collection, Iterable, Mapping, Set
from textwrap import shorten

from bot.base import Data
from bot.spec.model import Location, Message, SequenceDiagram, Spec
from bot.state.lookup import Value
from bot.state.model import Node, NodeKind
from bot.state.participants import Cast
from bot.verify.calls import Calls
from bot.verify.evidence import Evidence, Rule, Tool

# A participant that stands for the functions outside of classes.
_GLOBALS = re.compile(r"_*global[ _]*(?:functions?|methods?|scope|module)?", re.IGNORECASE)
GLOBALS = "<globals>"

# Decorators after which a function is still called by its name; a property is read.
_PLAIN = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "override", "overload", "final", "wraps"}
    | {"lru_cache", "cache", "contextmanager", "asynccontextmanager"}
)
# Bases outside of the project that call nothing by themselves.
_QUIET = frozenset(["ABC", "Generic", "Protocol", "NamedTuple", "TypedDict", "object"])


class Obligation(Data):
    """What one message asks for: code of `caller` that calls `called`. Both are node ids;
    `caller` is "<globals>" where the message comes from functions that no class holds."""

    caller: str
    called: str
    said: str
    to_itself: bool
    location: Location


def verify_messages(spec: Spec, files: Mapping[str, str]) -> list[Evidence]:
    """Messages of the sequence diagrams that no code of `files` (path -> source) fulfils, as
    warnings with their place in the document."""
    calls = Calls(files)
    return unheard(obligations(spec, calls), calls)


def unheard(asked: Iterable[Obligation], calls: Calls) -> list[Evidence]:
    """Evidence for the obligations that no code fulfils."""
    return [_evidence(o) for o in asked if not is_fulfilled(o, calls)]


def obligations(spec: Spec, calls: Calls) -> tuple[Obligation, ...]:
    """What the messages ask for, each call of one node by another once. A message asks for nothing
    where it is a reply or prose, comes from outside of the project or goes there, or names
    nothing that the target defines: what is missing is told by the tools for that."""
    cast = _Players(calls)
    found: dict[tuple[str, str], Obligation] = {}
    for diagram in spec.sequence_diagrams:
        who = cast.who(diagram)
        for message in diagram.messages:
            one = _obligation(message, who, cast)
            if one is not None:
                found.setdefault((one.caller, one.called), one)
    return tuple(found.values())


def _obligation(
    message: Message, who: Mapping[str, str | None], cast: "_Players"
) -> Obligation | None:
    caller, owner = who.get(message.source), who.get(message.target)
    if message.reply or not message.method or caller is None or owner is None:
        return None
    called = cast.called(owner, message.method)
    if called is None or cast.is_called_otherwise(called):
        return None
    if caller == GLOBALS and owner != GLOBALS and called.kind is not NodeKind.CLASS:
        # Functions of nobody calling one of a module: that is what a user of the project does.
        return None
    return Obligation(
        caller=caller,
        called=called.id,
        said=message.text,
        to_itself=message.source == message.target,
        location=message.location,
    )


class _Players:
    """Which nodes the participants and methods of diagrams stand for."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._lookup = calls.lookup
        self._cast = Cast(calls.nodes())
        self._functions: dict[str, list[str]] = {}
        for node in calls.nodes():
            if node.kind is NodeKind.FUNCTION and node.parent == node.path:
                self._functions.setdefault(node.name, []).append(node.id)

    def who(self, diagram: SequenceDiagram) -> dict[str, str | None]:
        """Participant -> node id, "<globals>", or None for what stands outside of the project."""
        return {
            p.name: None if p.actor else self._one(p.title, p.name) for p in diagram.participants
        }

    def _one(self, title: str, name: str) -> str | None:
        if _GLOBALS.fullmatch(title.strip()):
            return GLOBALS
        return self._cast.find(title, name) or self._instance(title)

    def _instance(self, title: str) -> str | None:
        """The class of which a participant such as `data_manager` is an instance."""
        found = self._cast.find("".join(part.capitalize() for part in title.split("_")))
        node = self._lookup.node(found) if found is not None else None
        return found if node is not None and node.kind is NodeKind.CLASS else None

    def called(self, owner: str, method: str) -> Node | None:
        """What a message to a node calls: a member of it, something at the top of its file, or the
        node itself; a constructor stands for its class. Operators are called without a name."""
        if method.startswith("__") and method != "__init__":
            return None
        if owner == GLOBALS:
            homes = self._functions.get(method, [])
            return self._lookup.node(homes[0]) if len(homes) == 1 else None
        node = self._lookup.node(owner)
        if node is None or method in ("__init__", node.name):
            return node if node is not None and node.kind is not NodeKind.FILE else None
        if node.kind is NodeKind.FUNCTION:
            return None
        member = self._lookup.member(Value(owner), method) or self._lookup.name(node.path, method)
        found = self._lookup.node(member or "")
        return found if found is not None and found.kind is not NodeKind.GLOBAL else None

    def is_called_otherwise(self, called: Node) -> bool:
        """Whether it is used other than by calls of the project's code: by a framework that a
        decorator hands it to, by a base class of somebody else's, or read as a property."""
        if called.kind is NodeKind.CLASS:
            return False
        tails = (d.partition("(")[0].rpartition(".")[2] for d in called.decorators)
        if not _PLAIN.issuperset(tails):
            return True
        owner = called.id.rpartition(".")[0] if called.parent != called.path else ""
        return any(
            self._is_foreign(base, above.path, called.name)
            for above in self._lookup.ancestry(owner)
            for base in above.bases
        )

    def _is_foreign(self, base: str, path: str, method: str) -> bool:
        name = base.partition("[")[0].rpartition(".")[2]
        if name in _QUIET or self._lookup.annotated(base, path) is not None:
            return False
        known = getattr(builtins, name, None)
        return hasattr(known, method) if isinstance(known, type) else True


def is_fulfilled(obligation: Obligation, calls: Calls) -> bool:
    """Whether code of the caller, or code that it runs, calls what is asked for; where the class of
    a receiver is not known, its name is enough in the caller's own files. A message to itself
    says that a step is done, by whomever."""
    called = calls.lookup.node(obligation.called)
    caller = obligation.caller
    if called is None or _inherits(caller, called, calls) or _hands_on(caller, calls):
        return True
    wanted, words = _wanted(called, calls)
    if obligation.to_itself:
        methods = {n.id for n in calls.nodes() if n.kind is NodeKind.FUNCTION}
        anyone = (methods | calls.outside_classes()) - wanted
        return _any_calls(anyone, wanted, words, calls)
    own = calls.outside_classes() if caller == GLOBALS else calls.code_of(caller)
    reached = calls.reached(own, _owner(called))
    files = {_file(node_id) for node_id in own}
    beside = {node_id for node_id in reached if _file(node_id) in files}
    return _any_calls(beside, wanted, words, calls) or any(
        calls.referred(node_id) & wanted for node_id in reached
    )


def _any_calls(scope: Collection[str], wanted: Set[str], words: Set[str], calls: Calls) -> bool:
    """Whether definitions refer to what is wanted, or ask anything for it by name."""
    return any(
        calls.referred(node_id) & wanted
        or calls.attributes(node_id) & words
        or any(_tail(target) in words for target in calls.referred(node_id))
        for node_id in scope
    )


def _owner(node: Node) -> str:
    return node.id if node.parent == node.path else node.id.rpartition(".")[0]


def _file(node_id: str) -> str:
    return node_id.partition("::")[0]


def _wanted(called: Node, calls: Calls) -> tuple[set[str], set[str]]:
    """The definitions that answer a call, relatives' of the same name among them; and their
    names."""
    if called.kind is NodeKind.CLASS:
        classes = calls.below(called.id)
        made = (calls.lookup.member(Value(c), "__init__") for c in classes)
        return {*classes, *(m for m in made if m is not None)}, {_tail(c) for c in classes}
    if called.parent == called.path:
        return {called.id}, {called.name}
    owner = called.id.rpartition(".")[0]
    return {f"{c}.{called.name}" for c in calls.relatives(owner)}, {called.name}


def _inherits(caller: str, called: Node, calls: Calls) -> bool:
    """Whether the caller is a class that takes what is called from a class above it."""
    if called.kind is NodeKind.CLASS:
        own = calls.lookup.member(Value(caller), "__init__")
        above = {c.id for c in calls.lookup.ancestry(caller)} - {caller}
        return called.id in above and own is not None and not own.startswith(f"{caller}.")
    member = calls.lookup.member(Value(caller), called.name) if "::" in caller else None
    return member == called.id and not called.id.startswith(f"{caller}.")


def _hands_on(caller: str, calls: Calls) -> bool:
    """Whether the caller is a class that passes on calls under names that no text shows."""
    names = ("__getattr__", "__getattribute__")
    return any(calls.lookup.member(Value(caller), name) is not None for name in names)


def _tail(node_id: str) -> str:
    return re.split(r"::|\.", node_id)[-1]


def _evidence(obligation: Obligation) -> Evidence:
    caller, called = _named(obligation.caller), _named(obligation.called)
    said = shorten(obligation.said, 120, placeholder=" ...")
    return Evidence(
        tool=Tool.MESSAGES,
        rule=Rule.MESSAGE,
        subject=obligation.caller,
        verdict="warning",
        detail=f"no code of {caller} calls {called}, as a sequence diagram has it: `{said}`",
        location=obligation.location,
    )


def _named(node_id: str) -> str:
    path, _, qualname = node_id.partition("::")
    if node_id == GLOBALS:
        return "the functions outside of classes"
    return f"`{qualname}` (`{path}`)" if qualname else f"`{path}`"
