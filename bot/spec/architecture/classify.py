"""Whether an item of an architecture document names a class, a function or a variable.

Authors rarely say so. What they write gives it away: the words around the name, its spelling, what
stands in its parentheses, what is nested below, and what the UML shows under the same name.
"""

import re

from bot.spec.architecture.code import Code, parse_code
from bot.spec.architecture.evidence import Evidence
from bot.spec.architecture.outline import Entry
from bot.spec.words import words

_CLASS_TEXT = re.compile(
    r"\b(?:class|subclass|exception|mixin|enum|enumeration|protocol|dataclass|namedtuple|typeddict"
    r"|interface)\b",
    re.IGNORECASE,
)
_ALIAS_TEXT = re.compile(
    r"^(?:an? |the )?(?:type variable|alias|constant|imported|re-?exported|instance of|union"
    r"|typevar)\b|\btype (?:hint )?alias\b",
    re.IGNORECASE,
)
_PROPERTY = re.compile(r"^(?:an? |the )?(?:[\w-]+ ){0,2}property\b", re.IGNORECASE)
_RETURNS = re.compile(r"^(?:returns?|gets?|retrieves?|an? (?:\w+ )?context manager)\b", re.I)
_REEXPORT = re.compile(r"^(?:re-?exported )?(?:imported )?from\b", re.IGNORECASE)
_FOLDER_TEXT = re.compile(
    r"^(?:is )?(?:an? |the )?(?:[\w-]+ )?(?:directory|folder)"
    r"(?: (?:that|which|with|of|for|containing|contains|holding|holds)\b|[.,;:]|$)",
    re.IGNORECASE,
)
_KEEPS_FOLDER = re.compile(r"dir|folder|path|root", re.IGNORECASE)

_CLASS_WORDS = frozenset(
    ["class", "enum", "exception", "dataclass", "mixin", "protocol", "interface"]
)
_FUNCTION_WORDS = frozenset(
    ["method", "methods", "function", "functions", "property", "properties"]
)
_VALUE_WORDS = frozenset(
    ["attribute", "attributes", "variable", "variables", "constant", "constants", "field", "fields"]
)


def is_reexport(entry: Entry) -> bool:
    """`Name` (from `module`), or `name`: imported from `module`."""
    return bool(_REEXPORT.match(entry.note) or _REEXPORT.match(entry.description))


def is_folder(code: Code, entry: Entry) -> bool:
    """Whether an item at the top of a file speaks of a folder: ``the `texts` directory``, or
    `texts`: folder of … A name such as `texts_dir` is that of a variable."""
    if code != Code("", "", code.name, None, None, None, None) or code.name != code.name.lower():
        return False
    if entry.said & (_FUNCTION_WORDS | _VALUE_WORDS) or _KEEPS_FOLDER.search(code.name):
        return False
    return bool(entry.said & {"directory", "folder"} or _FOLDER_TEXT.match(entry.description))


def is_class(code: Code, entry: Entry, known: Evidence) -> bool:
    """Whether an item at the top of a file names a class."""
    told = _told_class(code, entry)
    if told is not None:
        return told
    if code.value or code.returns or code.dunder or is_reexport(entry):
        return False
    if has_methods(entry) and _class_like(code, entry, known):
        return True
    if known.is_class(code.name):
        return code.capital or code.bases is not None
    if code.capital:
        return _capital_is_class(code, entry, known)
    return code.bases is not None and bool(_CLASS_TEXT.search(entry.description[:120]))


def is_inner_class(code: Code, entry: Entry) -> bool:
    """Whether an item inside a class names a class."""
    told = _told_class(code, entry)
    if told is not None:
        return told
    if code.value or code.returns:
        return False
    return code.name == "Meta" or (code.capital and code.arguments is None and has_methods(entry))


def is_method(code: Code, entry: Entry, owner: str, known: Evidence) -> bool:
    """Whether an item inside the class `owner` names a method; properties are methods."""
    if entry.said & _FUNCTION_WORDS:
        return True
    if entry.said & _VALUE_WORDS:
        return False
    if code.arguments is not None:
        return True
    if code.value:
        return False
    if code.dunder:
        return code.name not in words().dunder_variables
    if re.search(r"property|setter|getter|method", entry.note):
        return True
    if code.returns or _PROPERTY.match(entry.description):
        return True
    if code.name in known.methods.get(owner, ()):
        return True
    return not code.capital and bool(_RETURNS.match(entry.description))


def is_function(code: Code, entry: Entry, known: Evidence) -> bool:
    """Whether an item at the top of a file that names no class names a function."""
    if code.arguments is not None or "def" in code.word:
        return True
    if entry.said & {"function", "functions"}:
        return True
    return code.name in known.functions and not is_reexport(entry)


def has_methods(entry: Entry) -> bool:
    return any(c.arguments is not None for c in nested(entry))


def nested(entry: Entry) -> list[Code]:
    """The definitions nested in an item, through prose, without inner functions."""
    out: list[Code] = []
    for child in entry.children:
        if child.lead is None:
            out.extend(nested(child))
        elif not child.said & {"nested", "inner"}:
            parsed = [parse_code(c) for c in child.lead.codes]
            out.extend(c for c in parsed if c is not None)
    return out


def _told_class(code: Code, entry: Entry) -> bool | None:
    """What the author says outright; None where nothing is said."""
    if entry.said & (_FUNCTION_WORDS | _VALUE_WORDS):
        return False
    if code.word == "class" or entry.said & _CLASS_WORDS:
        return True
    return False if code.word else None


def _capital_is_class(code: Code, entry: Entry, known: Evidence) -> bool:
    """A capital name is a class, unless an alias, or a function spelt like a class: those take
    parameters, are not called classes, and a complete diagram does not show them."""
    if code.name in known.functions:
        return False
    if code.arguments is None:
        return not _ALIAS_TEXT.search(entry.description)
    if code.bases is not None or not code.arguments.strip():
        return True
    return not known.complete or bool(_CLASS_TEXT.search(entry.description[:160]))


def _class_like(code: Code, entry: Entry, known: Evidence) -> bool:
    """Something with nested definitions is a class where these are methods beyond doubt."""
    if code.capital or known.is_class(code.name):
        return True
    if any(c.dunder or c.takes_self for c in nested(entry)):
        return True
    return code.arguments is None and bool(_CLASS_TEXT.search(entry.description[:120]))
