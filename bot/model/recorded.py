"""The only model that the engine sees: every attempt is reserved, made, recorded, then used."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from bot.base import Data
from bot.config import BudgetSettings
from bot.model.attempt import Ask, AttemptFailed, Backend
from bot.model.budget import Budget, Cost
from bot.model.estimate import worst_usage
from bot.model.journal import CallRecord, Journal, request_digest
from bot.model.ledger import CallOutcome, Ledger, LedgerEntry, all_tokens
from bot.model.prices import Prices, UnpricedModel
from bot.ports.calls import CallKeeper
from bot.ports.meter import Meter, Unmetered
from bot.ports.model import ModelError, ModelReply, ModelRequest, Usage
from bot.redaction import Redactor


class _Attempt(Data):
    """One try at a request, under one call id; `model` is the one tried, a fallback perhaps."""

    call: str
    digest: str
    request: ModelRequest
    model: str


class RecordedModel:
    """A backend behind ledger, budget and journal (design 5.2). Safe across threads.

    A request that the journal holds an answer to is answered from it and costs nothing more.
    Known secrets leave neither with a request nor come in with a reply, so that no call keeps one.
    """

    def __init__(
        self,
        backend: Backend,
        ledger: Ledger,
        budget: Budget,
        journal: Journal,
        *,
        prices: Prices,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        redactor: Redactor | None = None,
        meter: Meter | None = None,
    ) -> None:
        """`clock` gives seconds that only grow, `now` dates the lines of the ledger."""
        self._backend = backend
        self.ledger = ledger
        self.budget = budget
        self.journal = journal
        self._prices = prices
        self._clock = clock
        self._now = now
        self._redactor = redactor or Redactor()
        self._meter = meter or Unmetered()

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the reply; raise ModelError or BudgetExhausted."""
        request = self._without_secrets(request)
        digest = request_digest(request)
        known = self.journal.answer(request.step, digest)
        if known is not None:
            return known

        def meter(tried: ModelRequest, ask: Ask) -> ModelReply:
            return self._attempt(request, digest, tried.model, ask)

        try:
            return self._backend.complete(request, meter)
        except ModelError:
            # What was cut off because the minutes ran out is no fault of the model.
            self.budget.refuse_when_over()
            raise

    def _without_secrets(self, request: ModelRequest) -> ModelRequest:
        known = self._redactor.known
        said = [m.model_copy(update={"content": known(m.content)}) for m in request.messages]
        return request.model_copy(update={"messages": tuple(said)})

    def _cleaned(self, reply: ModelReply) -> ModelReply:
        return reply.model_copy(update={"text": self._redactor.known(reply.text)})

    def _attempt(self, request: ModelRequest, digest: str, model: str, ask: Ask) -> ModelReply:
        usage = worst_usage(request)
        worst = Cost(usd=self._worst_usd(model, usage), tokens=all_tokens(usage), calls=1)
        reservation = self.budget.reserve(worst, what=f"the call for {request.step}")
        used = Cost()
        try:
            call = self.journal.begin(request.step)
            attempt = _Attempt(call=call, digest=digest, request=request, model=model)
            reserved = self._entry(attempt, usage, worst.usd, "reserved")
            self.ledger.append(reserved)
            used = worst
            self.journal.reserve(reserved)
            reply, used = self._made(attempt, worst, ask)
        except AttemptFailed as failure:
            used = worst if failure.billed else Cost(calls=1)
            raise
        finally:
            self.budget.settle(reservation, used)
        return reply

    def _made(self, attempt: _Attempt, worst: Cost, ask: Ask) -> tuple[ModelReply, Cost]:
        """Make the call and put it on disk, failed or not, before anybody uses it."""
        began = self._clock()
        try:
            reply = self._cleaned(ask(self.budget.seconds_left))
        except AttemptFailed as failure:
            usage = worst_usage(attempt.request) if failure.billed else Usage()
            usd = worst.usd if failure.billed else Decimal(0)
            seconds = self._clock() - began
            said = self._redactor.shown(failure.sentence)
            entry = self._entry(attempt, usage, usd, "failed", seconds, said)
            self._record(attempt, entry, None, self._redactor.shown(failure.raw))
            raise
        price = self._prices.of(attempt.model)
        usd = price.cost(reply.usage) if price else Decimal(0)
        entry = self._entry(attempt, reply.usage, usd, reply.finish_reason, reply.seconds)
        self._record(attempt, entry, reply)
        return reply, Cost(usd=usd, tokens=all_tokens(reply.usage), calls=1)

    def _record(
        self, attempt: _Attempt, entry: LedgerEntry, reply: ModelReply | None, raw: str = ""
    ) -> None:
        self.journal.add(
            CallRecord(
                call=attempt.call,
                digest=attempt.digest,
                request=attempt.request,
                reply=reply,
                raw=raw,
                entry=entry,
            )
        )
        self.ledger.append(entry)
        self._meter.model_call(
            entry.model, entry.outcome, entry.usage, float(entry.usd), entry.seconds
        )

    def _worst_usd(self, model: str, usage: Usage) -> Decimal:
        price = self._prices.of(model)
        if price:
            return price.worst(usage)
        if self.budget.usd_limit is not None:
            raise UnpricedModel(model, self.budget.usd_limit)
        return Decimal(0)

    def _entry(
        self,
        attempt: _Attempt,
        usage: Usage,
        usd: Decimal,
        outcome: CallOutcome,
        seconds: float = 0.0,
        detail: str = "",
    ) -> LedgerEntry:
        return LedgerEntry(
            call=attempt.call,
            step=attempt.request.step,
            role=attempt.request.role,
            model=attempt.model,
            usage=usage,
            usd=usd,
            priced=self._prices.of(attempt.model) is not None,
            seconds=seconds,
            outcome=outcome,
            detail=detail,
            at=self._now(),
        )


def open_recorded(
    backend: Backend,
    folder: Path,
    limits: BudgetSettings,
    *,
    prices: Prices,
    clock: Callable[[], float],
    now: Callable[[], datetime],
    used_seconds: float = 0.0,
    redactor: Redactor | None = None,
    meter: Meter | None = None,
    keeper: CallKeeper | None = None,
) -> RecordedModel:
    """The model of a run whose calls and ledger live in `folder`, going on where it stopped.

    What the ledger holds is spent already; `used_seconds` is what earlier legs took of the
    minutes.
    """
    journal = Journal(folder, keeper)
    ledger = journal.open_ledger()
    total = ledger.total
    spent = Cost(usd=total.usd, tokens=total.tokens, calls=total.calls)
    budget = Budget(limits, clock=clock, spent=spent, used_seconds=used_seconds)
    return RecordedModel(
        backend,
        ledger,
        budget,
        journal,
        prices=prices,
        clock=clock,
        now=now,
        redactor=redactor,
        meter=meter,
    )
