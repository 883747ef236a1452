"""Which price counts for a model: the user's word first, then the table, else none."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase

from bot.model.models import ModelTable, Price, Rates, shipped_models
from bot.ports.model import ModelError

_NOTHING = Decimal(0)

FREE = Price(
    model="free",
    rates=Rates(input=_NOTHING, cache_read=_NOTHING, output=_NOTHING),
    date=date(1970, 1, 1),
    source="nobody bills it",
)


class UnpricedModel(ModelError):
    """A dollar limit stands, and nobody knows what the model costs."""

    def __init__(self, model: str, limit: Decimal) -> None:
        super().__init__(
            f"the price of model {model} is not known, so the limit of ${limit:.2f} cannot hold",
            hint=f"set price_as for {model} to a model of the same price or to free, "
            "or take the dollar limit away",
        )


class Prices:
    """Prices by model name.

    `price_as` maps name patterns (with `*`) to a priced model or to `free` and goes before the
    table: for gateways, private deployments and local models.
    """

    def __init__(
        self, price_as: Mapping[str, str] | None = None, table: ModelTable | None = None
    ) -> None:
        self._table = table or shipped_models()
        self._price_as = {
            pattern: self._named(model) for pattern, model in (price_as or {}).items()
        }

    @classmethod
    def free(cls) -> "Prices":
        """Nothing costs anything: a person answers, or a recording."""
        return cls({"*": "free"})

    def of(self, model: str) -> Price | None:
        """The price of a model, None where nobody said."""
        for pattern, price in self._price_as.items():
            if fnmatchcase(model, pattern):
                return price
        return self._table.price(model)

    def _named(self, model: str) -> Price:
        price = FREE if model == "free" else self._table.price(model)
        if price is None:
            raise ModelError(
                f"price_as names the model {model}, which has no price",
                hint="name one that stands in bot/model/models.yaml, or free",
            )
        return price
