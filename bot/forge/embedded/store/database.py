"""One SQLite file shared by all threads, and a typed table per row model."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from threading import RLock
from typing import Any, Generic, TypeVar, get_origin

from bot.base import RepowrightError
from bot.forge.embedded.store.rows import Row

SCHEMA_VERSION = 2
_LARGEST = 2**63 - 1
R = TypeVar("R", bound=Row)
Value = str | int | float | None


class Database:
    """The connection. `transaction` nests; what `after_commit` was given runs, in order, once the
    outermost transaction has been committed and the lock is free again."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._lock = RLock()
        self._depth = 0
        self._pending: list[Callable[[], None]] = []
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        schema = files("bot.forge.embedded.store").joinpath("schema.sql").read_text("utf-8")
        self._check_version(path)
        self._connection.executescript(schema)
        self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _check_version(self, path: Path) -> None:
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, SCHEMA_VERSION):
            self._connection.close()
            raise RepowrightError(
                f"the embedded GitHub's data has version {version}, not {SCHEMA_VERSION}",
                where=str(path),
                hint="it was made by another version of Repowright; choose another folder",
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            outermost = self._depth == 0
            if outermost:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if outermost:
                    self._pending.clear()
                    self._connection.execute("ROLLBACK")
                raise
            self._depth -= 1
            if outermost:
                self._connection.execute("COMMIT")
            pending = self._take_pending() if outermost else []
        for callback in pending:
            callback()

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Run now, or after the transaction that is open in this thread."""
        with self._lock:
            if self._depth:
                self._pending.append(callback)
                return
        callback()

    def execute(self, sql: str, values: Sequence[Value] = ()) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def insert(self, sql: str, values: Sequence[Value]) -> int:
        with self._lock:
            return self._connection.execute(sql, values).lastrowid or 0

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _take_pending(self) -> list[Callable[[], None]]:
        pending, self._pending = self._pending, []
        return pending


class Table(Generic[R]):
    """The rows of one model. Column names come from the model, values are always bound."""

    def __init__(self, database: Database, model: type[R], name: str) -> None:
        self._database = database
        self._model = model
        self._name = name
        self._json = {
            column
            for column, field in model.model_fields.items()
            if get_origin(field.annotation) in (tuple, dict)
        }

    def insert(self, row: R) -> R:
        """Store a new row and return it with its id."""
        values = self._encode(row)
        if not row.id:
            del values["id"]
        columns = ", ".join(f'"{column}"' for column in values)
        marks = ", ".join("?" for _ in values)
        sql = f"INSERT INTO {self._name} ({columns}) VALUES ({marks})"  # noqa: S608
        identity = self._database.insert(sql, list(values.values()))
        return row.model_copy(update={"id": identity})

    def update(self, row: R, **changes: Any) -> R:
        """Store `row` with `changes` and return it; the changed fields alone are written."""
        new = self._model.model_validate({**row.model_dump(), **changes})
        values = {column: self._encode(new)[column] for column in changes}
        if values:
            columns = ", ".join(f'"{column}" = ?' for column in values)
            sql = f"UPDATE {self._name} SET {columns} WHERE id = ?"  # noqa: S608
            self._database.execute(sql, [*values.values(), row.id])
        return new

    def get(self, identity: int) -> R:
        """The row with this id; KeyError where there is none."""
        found = self.one(id=identity)
        if found is None:
            raise KeyError(f"{self._name} {identity}")
        return found

    def one(self, **where: Value) -> R | None:
        found = self.find(**where)
        return found[0] if found else None

    def find(self, **where: Value) -> list[R]:
        """The rows whose columns equal `where`, oldest first."""
        if any(isinstance(value, int) and abs(value) > _LARGEST for value in where.values()):
            return []
        condition, values = self._where(where)
        sql = f"SELECT * FROM {self._name}{condition} ORDER BY id"  # noqa: S608
        return [self._decode(row) for row in self._database.execute(sql, values)]

    def count(self, **where: Value) -> int:
        condition, values = self._where(where)
        sql = f"SELECT count(*) FROM {self._name}{condition}"  # noqa: S608
        return int(self._database.execute(sql, values)[0][0])

    def delete(self, **where: Value) -> None:
        condition, values = self._where(where)
        self._database.execute(f"DELETE FROM {self._name}{condition}", values)  # noqa: S608

    def _where(self, where: dict[str, Value]) -> tuple[str, list[Value]]:
        unknown = where.keys() - self._model.model_fields.keys()
        if unknown:
            raise KeyError(f"{self._name} has no column {', '.join(sorted(unknown))}")
        if not where:
            return "", []
        return " WHERE " + " AND ".join(f'"{column}" IS ?' for column in where), list(
            where.values()
        )

    def _encode(self, row: R) -> dict[str, Value]:
        values = row.model_dump(mode="json")
        for column in self._json:
            values[column] = json.dumps(values[column])
        return values

    def _decode(self, raw: sqlite3.Row) -> R:
        values = dict(raw)
        for column in self._json:
            values[column] = json.loads(values[column])
        return self._model.model_validate(values)
