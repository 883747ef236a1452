"""`python -m bot.forge.embedded.clients LOGIN`: prints the line that points a shell at the
embedded GitHub as that person."""

import shlex
import sys
from argparse import ArgumentParser
from pathlib import Path

from bot.base import ExitCode, RepowrightError
from bot.forge.embedded.clients.signing import sign_in_beside


def main() -> int:
    parser = ArgumentParser(prog="python -m bot.forge.embedded.clients", description=__doc__)
    parser.add_argument("login", help="made where there is no such account")
    parser.add_argument("--data", type=Path, default=Path("embedded-github"))
    given = parser.parse_args()
    try:
        settings = sign_in_beside(given.data, given.login)
    except RepowrightError as error:
        print(error.sentence, file=sys.stderr)
        return ExitCode.FAILED
    print(f". {shlex.quote(str(settings.env_file))}")
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(main())
