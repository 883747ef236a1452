"""Which price counts for a model: the user's word first, then the table, else none."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from bot.model.models import ModelTable, Price, Rates, mapped, shipped_models
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
        self._price_as = dict(price_as or {})
        for name in self._price_as.values():
            if self._named(name) is None:
                raise ModelError(
                    f"price_as names the model {name}, which has no price",
                    hint="name one that stands in bot/model/models.yaml, or free",
                )

    @classmethod
    def free(cls) -> "Prices":
        """Nothing costs anything: a person answers, or a recording."""
        return cls({"*": "free"})

    def of(self, model: str) -> Price | None:
        """The price of a model, None where nobody said."""
        return self._named(mapped(model, self._price_as))

    def _named(self, name: str) -> Price | None:
        return FREE if name == FREE.model else self._table.price(name)
