"""The calls that check tests make of the project, on imported names and on what these give: local
variables, fixtures and helpers are followed to where they come from."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress

from bot.state.extract import Definition
from bot.verify.call_commands import (
    MOST_WORDS,
    argv_assigned,
    argv_given,
    command_line,
    has_options,
    process_run,
    shown,
    words_in,
)
from bot.verify.call_fixtures import fixture_name, own_nodes
from bot.verify.call_scope import Held, Scope, Seen
from bot.verify.call_texts import arguments_of, shape_of, words_of

# Deeper than this, what is called is no longer told from where it came.
_DEEPEST = 3
_TELLING = frozenset(["bool", "float", "hash", "int", "iter", "len", "next", "repr", "str"])
_REPLACING = frozenset(["delattr", "dict", "object", "patch", "setattr", "setitem"])
_BUILT_IN = frozenset(
    name for kind in (str, bytes, list, dict, set, float, object) for name in dir(kind)
)
_SETUPS = ("setUp", "setUpClass", "setup", "setup_class", "setup_method", "asyncSetUp")


def calls_in(
    tree: ast.Module,
    names: Mapping[str, str],
    methods: frozenset[str],
    fixtures: Mapping[str, Definition],
    roots: Set[str],
) -> Iterator[Seen]:
    """Each use in source order.

    `roots` are the project's top-level names, `names` the local names of what is imported with the
    texts that stand for them, `methods` the names of the project's functions, `fixtures` those of
    the file and of the `conftest.py` files above it.
    """
    reader = _Reader(names, methods, fixtures, roots)
    with suppress(RecursionError):
        reader.body(tree.body)
    return iter(reader.seen)


class _Reader:
    def __init__(
        self,
        names: Mapping[str, str],
        methods: frozenset[str],
        fixtures: Mapping[str, Definition],
        roots: Set[str],
    ) -> None:
        self.seen: list[Seen] = []
        self._roots = roots
        self._methods = methods
        self._fixtures = fixtures
        self._scopes = [Scope({n: Held(label) for n, label in names.items()})]
        self._open: set[str] = set()
        self._results: dict[int, Held] = {}
        self._silent = 0
        self._masked = 0

    def body(self, body: Iterable[ast.stmt]) -> None:
        statements = list(body)
        for stmt in statements:
            if isinstance(stmt, Definition) and not fixture_name(stmt):
                self._scopes[-1].functions[stmt.name] = stmt
        for stmt in statements:
            self._statement(stmt)

    def _statement(self, stmt: ast.stmt) -> None:
        if isinstance(stmt, Definition):
            with self._argv_kept():
                self._decorators(stmt)
                with self._inside(stmt):
                    self.body(stmt.body)
        elif isinstance(stmt, ast.ClassDef):
            with self._argv_kept():
                self._class(stmt)
        elif isinstance(stmt, ast.Assign | ast.AnnAssign):
            self._assignment(stmt)
        elif isinstance(stmt, ast.With | ast.AsyncWith):
            with self._argv_kept():
                self._with(stmt)
        elif isinstance(stmt, ast.For | ast.AsyncFor):
            self._expression(stmt.iter)
            self._bind(stmt.target, self._element(stmt.iter))
            self.body([*stmt.body, *stmt.orelse])
        elif isinstance(stmt, ast.Assert):
            self._assertion(stmt.test)
        elif not isinstance(stmt, ast.Import | ast.ImportFrom):
            self._parts(stmt)

    def _parts(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child)
            elif isinstance(child, ast.expr):
                self._expression(child)
            else:
                self._parts(child)

    def _with(self, stmt: ast.With | ast.AsyncWith) -> None:
        for item in stmt.items:
            self._expression(item.context_expr)
            self._entered(self._label(item.context_expr))
            self._bind(item.optional_vars, self._held(item.context_expr))
        self.body(stmt.body)

    def _entered(self, label: str | None) -> None:
        if label is not None and label.endswith("(...)"):
            self._add(Seen(target=f"with {label}", text=f"with {label}: ...", shape=frozenset()))

    def _class(self, stmt: ast.ClassDef) -> None:
        """A class of tests: what its set-up binds to `self` holds in all its methods."""
        for decorator in stmt.decorator_list:
            self._expression(decorator)
        self._scopes.append(Scope())
        setups = [s for s in stmt.body if isinstance(s, Definition) and s.name in _SETUPS]
        with self._quiet():
            for setup in setups:
                self.body(setup.body)
        self.body(stmt.body)
        self._scopes.pop()

    def _decorators(self, stmt: Definition) -> None:
        for decorator in stmt.decorator_list:
            label = self._label(decorator)
            if label is not None and not isinstance(decorator, ast.Call):
                self._add(Seen(target=f"@{label}", text=f"@{label}", shape=frozenset()))
            masks = "parametrize" in ast.unparse(decorator).partition("(")[0]
            self._masked += masks
            self._expression(decorator)
            self._masked -= masks

    @contextmanager
    def _inside(self, stmt: Definition) -> Iterator[None]:
        """The scope of a function, with what fixtures give to its parameters."""
        a = stmt.args
        arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        scope = Scope({p.arg: self._given(p.arg) for p in arguments})
        self._scopes.append(scope)
        yield
        self._scopes.pop()

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        self._silent += 1
        yield
        self._silent -= 1

    @contextmanager
    def _argv_kept(self) -> Iterator[None]:
        """Ends, with what it is set for, a command line that is set inside."""
        scope, before = self._scopes[-1], self._scopes[-1].argv
        yield
        scope.argv = before

    def _given(self, name: str) -> Held:
        fixture = self._fixtures.get(name)
        return self._result(fixture) if fixture is not None else Held()

    def _result(self, function: Definition) -> Held:
        """What a fixture or a helper gives; nothing known where it leads back to itself."""
        if id(function) in self._results:
            return self._results[id(function)]
        if function.name in self._open:
            return Held()
        self._open.add(function.name)
        with self._quiet(), self._inside(function):
            self.body(function.body)
            given = [
                self._held(n.value)
                for n in own_nodes(function)
                if isinstance(n, ast.Return | ast.Yield) and n.value is not None
            ]
        self._open.discard(function.name)
        one = given[0] if given and all(g == given[0] for g in given) else Held()
        self._results[id(function)] = one
        return one

    def _assignment(self, stmt: ast.Assign | ast.AnnAssign) -> None:
        if stmt.value is None:
            return
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        masks = any("expect" in ast.unparse(t).lower() for t in targets)
        self._masked += masks
        self._expression(stmt.value)
        self._masked -= masks
        argv = argv_assigned(stmt)
        if argv is not None and len(self._scopes) > 1:
            self._scopes[-1].argv = command_line(argv, self._found)
        held = self._held(stmt.value)
        for target in targets:
            self._bind(target, Held(held.label) if masks else held)
            if not isinstance(target, ast.Name):
                self._expression(target)

    def _assertion(self, test: ast.expr) -> None:
        """What is compared with the result of a call is what the test expects."""
        if not isinstance(test, ast.Compare):
            self._expression(test)
            return
        self._expression(test.left)
        masks = self._uses_project(test.left)
        self._masked += masks
        for other in test.comparators:
            self._expression(other)
        self._masked -= masks

    def _uses_project(self, node: ast.expr) -> bool:
        return any(isinstance(n, ast.expr) and self._label(n) is not None for n in ast.walk(node))

    def _bind(self, target: ast.expr | None, held: Held) -> None:
        if isinstance(target, ast.Name):
            self._scopes[-1].names[target.id] = held
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            if target.value.id in ("self", "cls") and len(self._scopes) > 1:
                name = f"self.{target.attr}"
                self._scopes[-1].names[name] = held
                self._scopes[1].names.setdefault(name, held)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._bind(element, Held())

    def _held(self, node: ast.expr) -> Held:
        if isinstance(node, ast.Constant):
            return Held(literal=node)
        if isinstance(node, ast.Name):
            return self._found(node.id) or Held()
        line = command_line(node, self._found)
        if line is not None:
            return Held(literal=line)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            helper = self._helper(node.func.id)
            if helper is not None:
                return Held(self._result(helper).label)
        return Held(self._label(node))

    def _element(self, node: ast.expr) -> Held:
        label = self._label(node)
        return Held(f"{label}[...]" if label and label.count("[...]") == 0 else None)

    def _helper(self, name: str) -> Definition | None:
        return next(
            (s.functions[name] for s in reversed(self._scopes) if name in s.functions), None
        )

    def _found(self, name: str) -> Held | None:
        for scope in reversed(self._scopes):
            if name in scope.names:
                return scope.names[name]
            if name in scope.functions:
                return Held()
        return None

    def _label(self, node: ast.expr) -> str | None:
        """The text of an expression that starts at the project; None for any other."""
        if isinstance(node, ast.Name):
            held = self._found(node.id)
            return held.label if held is not None else None
        if isinstance(node, ast.Await):
            return self._label(node.value)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                held = self._found(f"self.{node.attr}")
                return held.label if held is not None else None
            owner = self._label(node.value)
            return self._member(owner, node.attr) if owner is not None else None
        if isinstance(node, ast.Subscript):
            owner = self._label(node.value)
            return f"{owner}[...]" if owner is not None and not owner.endswith("]") else None
        if isinstance(node, ast.Call):
            helper = self._helper(node.func.id) if isinstance(node.func, ast.Name) else None
            if helper is not None:
                return self._result(helper).label
            called = self._label(node.func)
            deep = called is not None and called.count("(") >= _DEEPEST
            return f"{called}(...)" if called is not None and not deep else None
        return None

    def _member(self, owner: str, name: str) -> str | None:
        """A member of a result; what is Python's own and not the project's is not followed."""
        if "(" in owner and name in _BUILT_IN and name not in self._methods:
            return None
        return f"{owner}.{name}"

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            self._comprehension(node)
        elif isinstance(node, ast.Lambda):
            self._scopes.append(Scope({p.arg: Held() for p in node.args.args}))
            self._expression(node.body)
            self._scopes.pop()
        else:
            if isinstance(node, ast.Subscript):
                owner = self._label(node.value)
                if owner is not None and owner.endswith("(...)"):
                    self._add(Seen(target=f"{owner}[...]", text=f"{owner}[...]", shape=frozenset()))
            self._parts(node)

    def _attribute(self, node: ast.Attribute) -> None:
        label = self._label(node)
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if label is not None and "(" in label and not own:
            self._add(Seen(target=label.rpartition(".")[0], text=label))
        self._expression(node.value)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        self._scopes.append(Scope())
        for generator in node.generators:
            self._expression(generator.iter)
            self._bind(generator.target, self._element(generator.iter))
            for condition in generator.ifs:
                self._expression(condition)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self._expression(part)
        self._scopes.pop()

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            self._expression(node.func.value)
        elif not isinstance(node.func, ast.Name):
            self._expression(node.func)
        label = self._label(node.func)
        helper = isinstance(node.func, ast.Name) and self._helper(node.func.id) is not None
        if label is not None and not helper:
            self._project(label, node)
        else:
            self._foreign(node)
        said = ast.unparse(node.func).rpartition(".")[2]
        compares = said.startswith("assert") and any(self._uses_project(a) for a in node.args[:1])
        for index, given in enumerate((*node.args, *(k.value for k in node.keywords))):
            masks = compares and index > 0
            self._masked += masks
            self._expression(given.value if isinstance(given, ast.Starred) else given)
            self._masked -= masks

    def _project(self, label: str, node: ast.Call) -> None:
        """A call of the project, with the command line that it reads or is given."""
        masked = self._masked > 0
        argv = next((s.argv for s in reversed(self._scopes) if s.argv is not None), None)
        line = command_line(node.args[0], self._found) if node.args else None
        if argv is not None and not (masked or node.args or node.keywords or "(" in label):
            target = f"{label}() with sys.argv"
            text = f"{target} {shown(argv, self._found)}"
            self._add(Seen(target=target, text=text, shape=words_in(argv)))
        elif line is not None and has_options(line) and not masked:
            text = f"{label}({arguments_of(node, self._found, most=MOST_WORDS)})"
            shape = shape_of(node, self._label) | words_in(line)
            self._add(Seen(target=label, text=text, shape=shape))
        else:
            text = f"{label}({arguments_of(node, self._found, masked=masked)})"
            shape = shape_of(node, self._label)
            self._add(Seen(target=label, text=text, shape=shape, masked=masked))

    def _foreign(self, node: ast.Call) -> None:
        """A call of something else that says how the project is used: what a test replaces, the
        commands it runs, and what Python asks of an object."""
        name = ast.unparse(node.func).rpartition(".")[2]
        first = node.args[0] if node.args else None
        if first is None:
            return
        argv = argv_given(node)
        if argv is not None:
            self._scopes[-1].argv = command_line(argv, self._found)
            return
        run = process_run(node, self._found, self._roots)
        if run is not None:
            text = f"{name}({shown(run, self._found)})"
            self._add(Seen(target=f"{name} a process", text=text, shape=words_in(run)))
        label = self._label(first)
        if name in _REPLACING and isinstance(first, ast.Constant) and self._is_own(first.value):
            text = f"{name}({first.value!r})"
            self._add(Seen(target=text, text=text, shape=frozenset()))
        elif label is not None and "(" not in label and name in _REPLACING and len(node.args) > 1:
            text = f"{name}({label}, {ast.unparse(node.args[1])})"
            self._add(Seen(target=text, text=text, shape=frozenset()))
        elif label is not None and "(" not in label and name == "invoke":
            text = f"invoke({arguments_of(node, self._found, most=MOST_WORDS)})"
            self._add(Seen(target=f"invoke {label}", text=text, shape=words_of(node)))
        elif name in _TELLING and len(node.args) == 1 and label is not None:
            self._asked(f"{name}({label})")

    def _asked(self, text: str) -> None:
        """What Python asks of an instance that a test makes itself."""
        if text.endswith("(...))") and text.count("(") == 2:
            self._add(Seen(target=text, text=text, shape=frozenset()))

    def _is_own(self, text: object) -> bool:
        """Whether a text is a dotted name of the project."""
        return isinstance(text, str) and "." in text and text.partition(".")[0] in self._roots

    def _add(self, seen: Seen) -> None:
        if not self._silent:
            self.seen.append(seen)
