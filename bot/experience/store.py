"""The experience store in a database, shared by all repositories of an installation."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Self

from pydantic import ValidationError
from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    Row,
    and_,
    delete,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from bot.experience.figures import History
from bot.experience.tables import (
    CLOCK,
    EXPERIENCES,
    GIVEN,
    JUDGED,
    LEARNT,
    UNSHARED,
    open_tables,
    unavailable,
)
from bot.ports.experience import Effect, Experience, Kept, Scope, Tally

# An advice is retired once it did harm that often, and more often than it did good.
LEAST_HARM = 2

_COLUMNS = {
    Effect.IMPROVED: EXPERIENCES.c.improved,
    Effect.NO_EFFECT: EXPERIENCES.c.no_effect,
    Effect.REGRESSED: EXPERIENCES.c.regressed,
}


class SqlExperiences:
    """The store behind `bot.ports.experience.ExperienceStore`; `address` is SQLAlchemy's. The
    database is opened, and made where it is missing, when it is first used. Everything raises
    StoreUnavailable where it cannot be used."""

    def __init__(self, address: str | URL) -> None:
        self._address = address
        self._engine: Engine | None = None
        self._lock = Lock()

    def open(self) -> Self:
        """Open the database now, to hear now where it cannot be used."""
        self._opened()
        return self

    def close(self) -> None:
        """Let go of the database; using the store again opens it again."""
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    def _opened(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = open_tables(self._address)
            return self._engine

    @contextmanager
    def _work(self) -> Iterator[Connection]:
        """One transaction."""
        engine = self._opened()
        try:
            with engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise unavailable(engine, error) from error

    def add(self, scope: Scope, experience: Experience, *, mark: str) -> None:
        """Keep an experience, once for each mark; one that a maintainer deleted stays away."""
        with self._work() as connection:
            tick = _tick(connection)
            if _learnt_before(connection, mark, experience.id):
                return
            row = _find(connection, scope, experience.id)
            if row is None:
                here = _switched(connection, scope)
                harmful = _is_harmful(connection, here, experience.advice)
                _insert(connection, here, experience, Tally(), retired=harmful, tick=tick)
            elif row.text:
                learned = EXPERIENCES.c.learned + 1
                _change(connection, EXPERIENCES.c.number == row.number, tick, learned=learned)

    def take(self, scope: Scope, experience: Experience, tally: Tally, *, retired: bool) -> bool:
        """Import an experience with its record; false where it is there already. One that was
        deleted comes back."""
        with self._work() as connection:
            tick = _tick(connection)
            row = _find(connection, scope, experience.id)
            if row is None:
                _insert(connection, scope, experience, tally, retired=retired, tick=tick)
                return True
            if row.text:
                return False
            values = {"text": experience.model_dump_json(), "retired": retired}
            here = EXPERIENCES.c.number == row.number
            _change(connection, here, tick, **values, **tally.model_dump())
            return True

    def changes(self, scope: Scope, after: int) -> tuple[int, Sequence[Kept]]:
        with self._work() as connection:
            reader = _switched(connection, scope)
            rows = connection.execute(
                select(EXPERIENCES)
                .where(EXPERIENCES.c.tick > after, EXPERIENCES.c.installation == scope.installation)
                .order_by(EXPERIENCES.c.tick, EXPERIENCES.c.number)
            ).all()
        newest = max((row.tick for row in rows), default=after)
        return newest, [_kept(row, hidden=not _sees(reader, row)) for row in rows]

    def given(self, mark: str, numbers: Iterable[int]) -> None:
        with self._work() as connection:
            _tick(connection)
            if _is_judged(connection, mark):
                return
            connection.execute(delete(GIVEN).where(GIVEN.c.mark == mark))
            rows = [{"mark": mark, "number": n, "effect": ""} for n in sorted(set(numbers))]
            if rows:
                connection.execute(GIVEN.insert(), rows)

    def settle(self, mark: str, effect: Effect) -> tuple[str, ...]:
        with self._work() as connection:
            tick = _tick(connection)
            mine = select(GIVEN.c.number).where(GIVEN.c.mark == mark)
            here = EXPERIENCES.c.number.in_(mine)
            rows = connection.execute(
                select(EXPERIENCES).where(here).order_by(EXPERIENCES.c.number)
            ).all()
            if not _is_judged(connection, mark):
                connection.execute(JUDGED.insert().values(mark=mark))
                _settle(connection, mark, rows, effect, tick)
        return tuple(row.id for row in rows)

    def delete(self, id_: str) -> int:
        with self._work() as connection:
            here = and_(EXPERIENCES.c.id == id_, EXPERIENCES.c.text != "")
            return _change(connection, here, _tick(connection), text="")

    def share(self, scope: Scope) -> int:
        with self._work() as connection:
            tick = _tick(connection)
            here = (
                UNSHARED.c.installation == scope.installation,
                UNSHARED.c.repository == scope.repository.lower(),
            )
            connection.execute(delete(UNSHARED).where(*here))
            if not scope.shared:
                connection.execute(
                    UNSHARED.insert().values(
                        installation=scope.installation, repository=scope.repository.lower()
                    )
                )
            theirs = and_(
                EXPERIENCES.c.repository == scope.repository.lower(),
                EXPERIENCES.c.installation == scope.installation,
                EXPERIENCES.c.shared != scope.shared,
            )
            return _change(connection, theirs, tick, shared=scope.shared)

    def all(self, id_: str = "") -> Iterator[tuple[str, Kept]]:
        """Everything that is not deleted, with the repository that taught it; with `id_` only
        what its beginning fits."""
        with self._work() as connection:
            which = EXPERIENCES.c.id.startswith(id_, autoescape=True) if id_ else true()
            query = select(EXPERIENCES).where(which, EXPERIENCES.c.text != "")
            rows = connection.execute(query.order_by(EXPERIENCES.c.number)).all()
        yield from ((row.repository, _kept(row)) for row in rows)

    def history(self) -> History:
        """What the runs have done with the store so far."""
        with self._work() as connection:
            judged = connection.scalars(select(JUDGED.c.mark)).all()
            given = set(connection.scalars(select(GIVEN.c.mark).distinct()))
            learnt = connection.execute(select(LEARNT.c.mark, LEARNT.c.id)).all()
        return History(
            runs=len({_run_of(mark) for mark in judged}),
            repairs=len(judged),
            advised=len(given & set(judged)),
            lessons=len({(_run_of(row.mark), row.id) for row in learnt}),
        )


def _run_of(mark: str) -> str:
    return mark.rpartition(":")[0]


def _is_judged(connection: Connection, mark: str) -> bool:
    return connection.scalar(select(JUDGED.c.mark).where(JUDGED.c.mark == mark)) is not None


def _settle(
    connection: Connection,
    mark: str,
    rows: Sequence[Row[tuple[object, ...]]],
    effect: Effect,
    tick: int,
) -> None:
    connection.execute(update(GIVEN).where(GIVEN.c.mark == mark).values(effect=effect.value))
    column = _COLUMNS[effect]
    here = EXPERIENCES.c.number.in_([row.number for row in rows])
    _change(connection, here, tick, **{column.name: column + 1})
    if effect is Effect.REGRESSED:
        for row in rows:
            scope = Scope(
                installation=row.installation, repository=row.repository, shared=row.shared
            )
            _retire_harmful(connection, scope, row.advice, tick)


def _switched(connection: Connection, scope: Scope) -> Scope:
    """The scope with the repository's own switch: off where a maintainer has it off."""
    off = connection.scalar(
        select(func.count())
        .select_from(UNSHARED)
        .where(
            UNSHARED.c.installation == scope.installation,
            UNSHARED.c.repository == scope.repository.lower(),
        )
    )
    return scope.model_copy(update={"shared": False}) if off else scope


def _tick(connection: Connection) -> int:
    """The next count of the clock. Whoever has it is the only writer until the transaction ends."""
    connection.execute(update(CLOCK).values(tick=CLOCK.c.tick + 1))
    return int(connection.execute(select(CLOCK.c.tick)).scalar_one())


def _find(connection: Connection, scope: Scope, id_: str) -> Row[tuple[object, ...]] | None:
    return connection.execute(
        select(EXPERIENCES).where(
            EXPERIENCES.c.installation == scope.installation,
            EXPERIENCES.c.repository == scope.repository.lower(),
            EXPERIENCES.c.id == id_,
        )
    ).one_or_none()


def _insert(
    connection: Connection,
    scope: Scope,
    experience: Experience,
    tally: Tally,
    *,
    retired: bool,
    tick: int,
) -> None:
    connection.execute(
        EXPERIENCES.insert().values(
            installation=scope.installation,
            repository=scope.repository.lower(),
            shared=scope.shared,
            id=experience.id,
            advice=experience.advice,
            text=experience.model_dump_json(),
            retired=retired,
            tick=tick,
            **tally.model_dump(),
        )
    )


def _change(connection: Connection, where: ColumnElement[bool], tick: int, **values: object) -> int:
    changed = connection.execute(update(EXPERIENCES).where(where).values(tick=tick, **values))
    return int(changed.rowcount)


def _learnt_before(connection: Connection, mark: str, id_: str) -> bool:
    here = and_(LEARNT.c.mark == mark, LEARNT.c.id == id_)
    if connection.scalar(select(func.count()).select_from(LEARNT).where(here)):
        return True
    connection.execute(LEARNT.insert().values(mark=mark, id=id_))
    return False


def _retire_harmful(connection: Connection, scope: Scope, advice: str, tick: int) -> None:
    if _is_harmful(connection, scope, advice):
        _change(connection, _same_advice(scope, advice), tick, retired=True)


def _is_harmful(connection: Connection, scope: Scope, advice: str) -> bool:
    """The rule, over the whole record of an advice."""
    harm, good = connection.execute(
        select(func.sum(EXPERIENCES.c.regressed), func.sum(EXPERIENCES.c.improved)).where(
            _same_advice(scope, advice)
        )
    ).one()
    return (harm or 0) >= LEAST_HARM and harm > good


def _same_advice(scope: Scope, advice: str) -> ColumnElement[bool]:
    """All experiences of the installation that advise the same; what is not shared is judged by
    its own repository's record."""
    return and_(
        EXPERIENCES.c.advice == advice,
        EXPERIENCES.c.installation == scope.installation,
        EXPERIENCES.c.shared == scope.shared,
        or_(EXPERIENCES.c.shared, EXPERIENCES.c.repository == scope.repository.lower()),
    )


def _sees(scope: Scope, row: Row[tuple[object, ...]]) -> bool:
    return bool(row.repository == scope.repository.lower() or (scope.shared and row.shared))


def _kept(row: Row[tuple[object, ...]], *, hidden: bool = False) -> Kept:
    # The columns' types stand for the values; checking each again doubles the time of a first look.
    return Kept.model_construct(
        number=row.number,
        experience=None if hidden else _read(row.text),
        tally=Tally.model_construct(
            learned=row.learned,
            improved=row.improved,
            no_effect=row.no_effect,
            regressed=row.regressed,
        ),
        retired=row.retired,
    )


def _read(text: str) -> Experience | None:
    """An experience, None where it was deleted, or is another version's that cannot be read."""
    try:
        return Experience.model_validate_json(text) if text else None
    except ValidationError:
        return None
