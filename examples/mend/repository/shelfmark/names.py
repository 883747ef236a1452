"""Names of people and books, as they are compared and sorted."""


def plain(name: str) -> str:
    """The name as it is compared: without case and without blanks around or doubled inside."""
    return " ".join(name.split()).casefold()


def same(one: str, other: str) -> bool:
    return plain(one) == plain(other)


def sort_name(name: str) -> str:
    """"Ada van Fenn" as "Fenn, Ada van"; a single name stays."""
    *first, last = name.split() or [""]
    return f"{last}, {' '.join(first)}" if first else last
