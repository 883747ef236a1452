"""The model: one tiny call, where one is configured."""

from collections.abc import Mapping
from pathlib import Path

from bot.base import RepowrightError
from bot.config import Settings
from bot.doctor.finding import Finding, Status, finding, of_error
from bot.model.openai_backend import OpenAIBackend
from bot.ports.model import ChatMessage, ModelRequest
from bot.wiring import backend_of

_NAME = "model"
_SECONDS = 30.0
_QUESTION = "Answer with the word ok."
_LONGEST_ANSWER = 64


def examine_model(choice: str, settings: Settings, environ: Mapping[str, str]) -> Finding:
    """`choice` is the backend as the command line names it."""
    kind, _, folder = choice.partition(":")
    if folder:
        there = Path(folder).is_dir()
        status = Status.OK if there else Status.FAIL
        return finding(_NAME, status, "model_folder" if there else "model_no_folder", folder=folder)
    variable = settings.endpoint.api_key_env
    if kind == "openai" and variable and not environ.get(variable):
        return finding(_NAME, Status.SKIPPED, "model_skipped", variable=variable)
    try:
        if kind != "openai":
            backend_of(choice, settings, environ)
        return _call(settings, environ)
    except RepowrightError as error:
        return of_error(_NAME, "model_failed", error, "check endpoint and model in the settings")


def _call(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """A few tokens, asked once."""
    endpoint = settings.endpoint.model_copy(update={"attempts": 1, "seconds": _SECONDS})
    request = ModelRequest(
        role="doctor",
        step="doctor",
        model=settings.model,
        messages=(ChatMessage(role="user", content=_QUESTION),),
        max_output=_LONGEST_ANSWER,
    )
    reply = OpenAIBackend(endpoint, environ).complete(request)
    return finding(_NAME, Status.OK, "model_ok", model=reply.model, seconds=reply.seconds)
