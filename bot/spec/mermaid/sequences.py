"""Sequence diagrams, read line by line."""

import re
from collections import Counter

from lark import Token, Tree, UnexpectedInput

from bot.spec.mermaid.grammar import grammar
from bot.spec.mermaid.source import Line, Source, plain_label
from bot.spec.model import Location, Message, Participant, Problem, SequenceDiagram
from bot.spec.problems import problem
from bot.spec.texts import closing
from bot.spec.words import words

_CALL = re.compile(r"^(?:[^\W\d]\w*\s*=\s*)?(?:await\s+|call(?:s)?\s+|@)?(?P<name>[^\W\d][\w.]*)\(")
_BARE_CALL = re.compile(r"^\(")
_AFTER_CALL = re.compile(r"^[ \t]*(?:\n.*|->.*|:.*|\.|;|\(.*)?$|^\s*(?:\.\w+.*)$", re.DOTALL)


class SequenceReader:
    """Reads one sequence diagram."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.participants: dict[str, Participant] = {}
        self.messages: list[Message] = []
        self.problems: list[Problem] = []
        self.blocks: list[tuple[str, Location]] = []
        self.active: Counter[str] = Counter()

    def read(self, lines: list[Line]) -> tuple[SequenceDiagram, tuple[Problem, ...]]:
        """`lines` begin with the diagram's header."""
        for line in lines[1:]:
            self._statement(line)
        for word, opened in self.blocks:
            self.problems.append(problem("mermaid-unclosed", opened, what=word, mark="end"))
        diagram = SequenceDiagram(
            participants=tuple(self.participants.values()),
            messages=tuple(self.messages),
            location=self.source.place(lines[0]),
        )
        return diagram, tuple(self.problems)

    def _statement(self, line: Line) -> None:
        try:
            tree = grammar("sequence_line").parse(line.text)
        except UnexpectedInput as error:
            column = max(0, getattr(error, "column", 1) - 1)
            place = self.source.place(line, min(column, len(line.text)))
            self.problems.append(problem("mermaid-sequence-line", place, text=line.text))
            return
        statement = tree.children[0]
        if isinstance(statement, Tree):
            self._read_statement(line, statement.data, [_text(c) for c in statement.children])

    def _read_statement(self, line: Line, kind: str, parts: list[str]) -> None:
        """Branches, notes, numbering and titles change nothing about who calls whom."""
        match kind:
            case "participant":
                self._participant(line, parts)
            case "message":
                self._message(line, parts)
            case "activate":
                self._known(parts[1], line)
                self.active[parts[1]] += 1
            case "deactivate":
                self._known(parts[1], line)
                self._leave(parts[1], line)
            case "block":
                self.blocks.append((parts[0].split()[0], self.source.place(line)))
            case "end":
                self._end(line)

    def _participant(self, line: Line, parts: list[str]) -> None:
        word, name, alias = parts
        title = plain_label(alias[2:]) if alias else name
        self.participants[name] = Participant(
            name=name, title=title, actor="actor" in word, location=self.source.place(line)
        )

    def _message(self, line: Line, parts: list[str]) -> None:
        source, arrow, activation, target, text = parts
        for name in (source, target):
            self._known(name, line)
        if activation == "+":
            self.active[target] += 1
        elif activation == "-":
            self._leave(source, line)
        said = plain_label(text[1:]) if text else ""
        method, arguments = read_call(said, self._function_name(target))
        self.messages.append(
            Message(
                source=source,
                target=target,
                text=said,
                method=method,
                arguments=arguments,
                reply="--" in arrow,
                location=self.source.place(line),
            )
        )

    def _function_name(self, target: str) -> str:
        """The function that a participant stands for, as in `participant D as deprecated()`."""
        title = self.participants[target].title
        return title.removesuffix("()").rpartition(".")[2] if title.endswith("()") else target

    def _leave(self, name: str, line: Line) -> None:
        if self.active[name] > 0:
            self.active[name] -= 1
        else:
            place = self.source.place(line)
            self.problems.append(problem("activation-unbalanced", place, name=name))

    def _end(self, line: Line) -> None:
        if self.blocks:
            self.blocks.pop()
        else:
            self.problems.append(problem("mermaid-stray", self.source.place(line), mark="end"))

    def _known(self, name: str, line: Line) -> None:
        if name not in self.participants:
            self.participants[name] = Participant(
                name=name, title=name, location=self.source.place(line)
            )


def read_call(text: str, target: str) -> tuple[str | None, str | None]:
    """Method and arguments where a message's text is a call; `(a, b)` alone calls the target."""
    if _BARE_CALL.match(text):
        end = closing(text, 0)
        whole = end == len(text) - 1 and target.isidentifier()
        return (target, text[1:end].strip()) if whole else (None, None)
    found = _CALL.match(text)
    if found is None or found["name"].split(".")[0].lower() in words().not_calls:
        return None, None
    end = closing(text, found.end() - 1)
    if end < 0 or not _AFTER_CALL.match(text[end + 1 :]):
        return None, None
    return found["name"].rstrip(".").rpartition(".")[2], text[found.end() : end].strip()


def _text(part: Token | Tree[Token] | None) -> str:
    return str(part).strip() if isinstance(part, Token) else ""
