"""Authors, committers and taggers as requests name them."""

from bot.forge.embedded.git.objects import Signature
from bot.forge.embedded.rest.call import Body, parse_time


class Person(Body):
    name: str
    email: str
    date: str | None = None


def person(given: Person | None, fallback: Signature) -> Signature:
    """Who the caller named, else the fallback."""
    if given is None:
        return fallback
    date = parse_time(given.date, "date") if given.date else fallback.date
    return Signature(given.name, given.email, date)
