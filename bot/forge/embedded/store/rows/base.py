"""What every row of the store has."""

from typing import Any

from bot.base import Data

Json = dict[str, Any]


class Row(Data):
    """A row; an `id` of 0 asks the database for one."""

    id: int = 0
