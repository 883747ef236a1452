"""What a file's code refers to in other files (E, Algorithm 1, line 18): imports, calls, bases and
other uses, calls through instances included where their class is known."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from bot.state.extract import Definition, resolve
from bot.state.lookup import FileFacts, Lookup, Value, facts_of
from bot.state.model import NodeKind, Relation, RelationKind, file_id
from bot.syntax import parse_expression

# Under this no name of Python's, a method's scope keeps the class that defines it.
_OWNER = "super()"

Found = dict[tuple[str, str, RelationKind], Relation]


def extract_relations(path: str, source: str, project: Mapping[str, str]) -> tuple[Relation, ...]:
    """Realized relations of one file on its own. `project` maps dotted module names to paths."""
    facts = facts_of(path, source, project)
    return relations_of(facts, Lookup({path: facts}, project))


def relations_of(facts: FileFacts, lookup: Lookup) -> tuple[Relation, ...]:
    """Realized relations of a parsed file with other files, sorted. An import starts at the file,
    everything else at the innermost definition that is a node."""
    found: Found = {}
    for target in facts.imports.stars:
        _add(found, facts.path, target, RelationKind.IMPORT, "star")
    for local, target in facts.imports.names.items():
        typing = local in facts.imports.typing_only
        _add(found, facts.path, target, RelationKind.IMPORT, "typing" if typing else "ast")
        home = lookup.follow(target)
        if home != target:
            _add(found, facts.path, home, RelationKind.USE, "ast")
    for source, target, kind in _Walk(facts, lookup).references():
        _add(found, source, target, kind, "ast")
    stronger = {(s, t) for s, t, k in found if k in (RelationKind.CALL, RelationKind.INHERIT)}
    return tuple(
        found[key]
        for key in sorted(found)
        if key[2] is not RelationKind.USE or key[:2] not in stronger
    )


def _add(found: Found, source: str, target: str, kind: RelationKind, signal: str) -> None:
    relation = Relation(source=source, target=target, kind=kind, origin="realized", signal=signal)
    if relation.files[0] != relation.files[1]:
        found.setdefault((source, target, kind), relation)


Reference = tuple[str, str, RelationKind]


def references_of(facts: FileFacts, lookup: Lookup) -> tuple[Reference, ...]:
    """(source, target, kind) of what the definitions of a parsed file refer to, in the file itself
    and in others, in the order of the text; imports are no references."""
    return tuple(dict.fromkeys(_Walk(facts, lookup).references()))


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class _Walk:
    """One pass over a file in source order, with what local names hold."""

    def __init__(self, facts: FileFacts, lookup: Lookup) -> None:
        self._facts = facts
        self._lookup = lookup
        self._source = facts.path
        self._class: str | None = None
        self._scopes: list[dict[str, Value | None]] = [{}]
        self._out: list[Reference] = []

    def references(self) -> list[Reference]:
        self._body(self._facts.tree.body)
        return self._out

    def _body(self, body: Iterable[ast.stmt]) -> None:
        for stmt in body:
            self._statement(stmt)

    def _statement(self, stmt: ast.stmt) -> None:
        if isinstance(stmt, Definition):
            self._function(stmt)
        elif isinstance(stmt, ast.ClassDef):
            self._class_definition(stmt)
        elif isinstance(stmt, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            self._assignment(stmt)
        elif isinstance(stmt, ast.For | ast.AsyncFor):
            self._each(stmt.target, stmt.iter)
            self._body([*stmt.body, *stmt.orelse])
        elif isinstance(stmt, ast.With | ast.AsyncWith):
            for item in stmt.items:
                held = self._value(item.context_expr)
                if isinstance(item.optional_vars, ast.Name):
                    self._bind(item.optional_vars.id, self._entered(held))
            self._body(stmt.body)
        else:
            for child in ast.iter_child_nodes(stmt):
                self._any(child)

    def _each(self, target: ast.expr, container: ast.expr) -> None:
        """What a loop binds: one of the things in the container."""
        held = self._value(container)
        if isinstance(target, ast.Name):
            self._bind(target.id, held.element if held is not None else None)
        else:
            self._value(target)

    def _any(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self._statement(node)
        elif isinstance(node, ast.expr):
            self._value(node)
        else:
            for child in ast.iter_child_nodes(node):
                self._any(child)

    def _class_definition(self, stmt: ast.ClassDef) -> None:
        with self._inside(stmt.name, is_class=True):
            for base in stmt.bases:
                self._value(base, RelationKind.INHERIT)
            self._all([*stmt.decorator_list, *(k.value for k in stmt.keywords)])
            self._body(stmt.body)

    def _function(self, stmt: Definition) -> None:
        a = stmt.args
        arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        owner = self._class
        with self._inside(stmt.name, is_class=False):
            self._all(stmt.decorator_list)
            self._all([*a.defaults, *(d for d in a.kw_defaults if d is not None)])
            scope = self._scopes[-1]
            for argument in arguments:
                scope[argument.arg] = self._annotation(argument.annotation)
            if stmt.returns is not None:
                self._annotation(stmt.returns)
            first = next(iter([*a.posonlyargs, *a.args]), None)
            static = any(ast.unparse(d) == "staticmethod" for d in stmt.decorator_list)
            if owner is not None and first is not None and not static:
                scope[first.arg] = Value(owner, instance=first.arg != "cls")
                scope[_OWNER] = Value(owner)
            self._body(stmt.body)

    @contextmanager
    def _inside(self, name: str, *, is_class: bool) -> Iterator[None]:
        before = (self._source, self._class)
        qualname = self._source.partition("::")[2]
        inner = file_id(self._facts.path, f"{qualname}.{name}" if qualname else name)
        if inner in self._facts.nodes:
            self._source = inner
        self._class = inner if is_class and inner in self._facts.nodes else None
        self._scopes.append({})
        yield
        self._scopes.pop()
        self._source, self._class = before

    def _assignment(self, stmt: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> None:
        held = self._value(stmt.value) if stmt.value is not None else None
        if isinstance(stmt, ast.AnnAssign):
            held = self._annotation(stmt.annotation) or held
        targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
        for target in targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, held)
            else:
                self._value(target)

    def _bind(self, name: str, held: Value | None) -> None:
        """Note what a local name holds. At the top of a file, a stand-in for an import that fails
        does not hide the import."""
        if held is not None or len(self._scopes) > 1 or name not in self._facts.imports.names:
            self._scopes[-1][name] = held

    def _annotation(self, node: ast.expr | None) -> Value | None:
        """The instance that an annotation promises; what it names counts as used."""
        if node is None:
            return None
        for sub in ast.walk(node):
            if isinstance(sub, ast.Constant) and isinstance(sub.value, str):
                try:
                    self._value(parse_expression(sub.value).body)
                except (SyntaxError, ValueError):
                    continue
        self._value(node)
        return self._lookup.annotated(ast.unparse(node), self._facts.path)

    def _entered(self, held: Value | None) -> Value | None:
        """What `with` binds: what `__enter__` says it gives, else the thing itself."""
        if held is None or not held.instance:
            return None
        for name in ("__enter__", "__aenter__"):
            node = self._lookup.node(self._lookup.member(held, name) or "")
            if node is not None and node.returns:
                return self._lookup.holding(node) or held
        return held

    def _all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self._any(node)

    def _value(self, node: ast.expr, kind: RelationKind = RelationKind.USE) -> Value | None:
        """Write down what an expression refers to; what it stands for where that is known."""
        if isinstance(node, ast.Name):
            return self._name(node, kind)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, kind)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.NamedExpr):
            self._assignment(node)
            return self._scopes[-1].get(node.target.id)
        if isinstance(node, ast.Await):
            return self._value(node.value)
        if isinstance(node, Comprehension | ast.Lambda):
            self._scoped(node)
            return None
        if isinstance(node, ast.BoolOp | ast.IfExp):
            parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            self._all([node.test] if isinstance(node, ast.IfExp) else [])
            return next((v for v in [self._value(p) for p in parts] if v is not None), None)
        if isinstance(node, ast.Subscript):
            self._any(node.slice)
            held = self._value(node.value, kind)
            return held.element if held is not None else None
        self._all(ast.iter_child_nodes(node))
        return None

    def _scoped(self, node: Comprehension | ast.Lambda) -> None:
        """A comprehension or a lambda, whose names hide others inside it alone."""
        self._scopes.append({})
        if isinstance(node, ast.Lambda):
            a = node.args
            self._all([*a.defaults, *(d for d in a.kw_defaults if d is not None)])
            names = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
            self._scopes[-1].update(dict.fromkeys((n.arg for n in names), None))
            self._value(node.body)
        else:
            for part in node.generators:
                self._each(part.target, part.iter)
                self._all(part.ifs)
            self._all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
        self._scopes.pop()

    def _name(self, node: ast.Name, kind: RelationKind) -> Value | None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)
            return None
        for scope in reversed(self._scopes):
            if node.id in scope:
                return scope[node.id]
        target = self._lookup.dotted(node.id, self._facts.path)
        return self._seen(target, kind) if target is not None else None

    def _seen(self, target: str, kind: RelationKind) -> Value:
        """Write one reference down; a variable stands for what it holds, a property for what it
        gives."""
        self._out.append((self._source, target, kind))
        node = self._lookup.node(target)
        if node is not None:
            held = node.kind is NodeKind.GLOBAL or "property" in ",".join(node.decorators)
            return (self._lookup.holding(node) if held else None) or Value(target)
        return Value(target)

    def _attribute(self, node: ast.Attribute, kind: RelationKind) -> Value | None:
        plain = resolve(node, self._facts.imports.names)
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        masked = isinstance(root, ast.Name) and any(root.id in s for s in self._scopes)
        if plain is not None and not masked:
            target = self._lookup.follow(plain)
            if "::" in target or isinstance(root, ast.Name):
                return self._through(node, kind, target)
        owner = self._value(node.value)
        return self._member(owner, node.attr, kind) if owner is not None else None

    def _through(self, node: ast.Attribute, kind: RelationKind, target: str) -> Value | None:
        """A dotted name that starts at an import; a member of an instance where the last but one
        name holds one."""
        if self._lookup.node(target) is None and isinstance(node.value, ast.Attribute | ast.Name):
            owner = self._value(node.value)
            if owner is not None and owner.instance:
                return self._member(owner, node.attr, kind)
        return self._seen(target, kind)

    def _member(self, owner: Value, name: str, kind: RelationKind) -> Value | None:
        target = self._lookup.member(owner, name)
        if target is not None:
            return self._seen(target, kind)
        if "::" not in owner.id:
            return None
        for cls in self._lookup.ancestry(owner.id):
            if any(a.name == name for a in cls.attributes):
                self._seen(cls.id, RelationKind.USE)
                break
        return self._lookup.attribute(owner, name)

    def _call(self, node: ast.Call) -> Value | None:
        self._all([*node.args, *(k.value for k in node.keywords)])
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._parent()
        called = self._value(node.func, RelationKind.CALL)
        found = self._lookup.node(called.id) if called is not None else None
        if found is None or called is None or called.instance:
            return None
        if found.kind is NodeKind.CLASS:
            return Value(found.id, instance=True)
        return self._lookup.holding(found) if found.kind is NodeKind.FUNCTION else None

    def _parent(self) -> Value | None:
        """What `super()` stands for: the first base that the project defines."""
        owner = next((s[_OWNER] for s in reversed(self._scopes) if _OWNER in s), None)
        if owner is None:
            return None
        above = list(self._lookup.ancestry(owner.id))[1:]
        return Value(above[0].id, instance=True) if above else None
