"""The bot's own server as a process of its own, with a model that answers at once."""

import signal
import sys
from collections.abc import Mapping

from bot.base import Data
from bot.bench.tinkerer import Tinkerer
from bot.model.scripted import ScriptedModel
from bot.serverconfig import ServerSettings
from bot.serving import Server, answer_between_legs

_SEED = 1


class Served(Data):
    """Settings and environment of one server."""

    settings: ServerSettings
    environ: Mapping[str, str]


def main() -> None:
    """Serve what standard input asks for until SIGTERM."""
    answer_between_legs()
    order = Served.model_validate_json(sys.stdin.read())
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    with Server(order.settings, order.environ, ScriptedModel({"*": Tinkerer(_SEED)})):
        signal.sigwait([signal.SIGTERM])


if __name__ == "__main__":
    main()
