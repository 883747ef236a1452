"""`python -m bot.jobs`: what the actions run in a job of GitHub Actions."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from functools import partial

from bot.base import ExitCode, RepowrightError
from bot.jobs.context import JobContext, JobInputs, read_context, read_inputs
from bot.jobs.events import event_here
from bot.jobs.host import Turn
from bot.jobs.session import JobSession, tell
from bot.jobs.show import sentence_of
from bot.logs import log_to_stderr
from bot.markdown.mentions import clean
from bot.redaction import redact, secrets_of
from bot.runs.events import Ignored


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: the job did what there was to do; 1: something was in the way, or the job was
    cancelled; 2: wrong use."""
    parser = argparse.ArgumentParser(prog="python -m bot.jobs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("generate", help="work on the runs that the job's event concerns")
    commands.add_parser("repair", help="the same, and mend a failed check of the default branch")
    repairs = parser.parse_args(arguments).command == "repair"
    try:
        context, inputs = read_context(os.environ), read_inputs(os.environ)
        log_to_stderr("text", partial(redact, secrets=inputs.secrets()))
        return _work(context, inputs, repairs=repairs)
    except RepowrightError as error:
        said = " ".join(clean(redact(error.sentence, secrets_of(os.environ))).split())
        print(f"::error title=Repowright::{said}", flush=True)
        return ExitCode.FAILED


def _work(context: JobContext, inputs: JobInputs, *, repairs: bool) -> int:
    found = event_here(context, inputs.settings)
    events = () if isinstance(found, Ignored) else (found,)
    if isinstance(found, Ignored) and not repairs:
        print(f"nothing to do: {found.why}", flush=True)
        tell(context, (), why=found.why)
        return ExitCode.OK
    with JobSession(context, inputs) as session:
        _end_when_cancelled(session)
        turns = session.repair(events) if repairs else session.generate(events)
        tell(context, turns, first_call=session.first_call)
    return _exit_code(turns)


def _exit_code(turns: Sequence[Turn]) -> int:
    for turn in turns:
        print(sentence_of(turn), flush=True)
    return ExitCode.FAILED if any(turn.why == "trouble" for turn in turns) else ExitCode.OK


def _end_when_cancelled(session: JobSession) -> None:
    """A runner that cancels a job asks twice, some seconds apart, before it kills: time to let go
    of the run, but none for model calls that are under way, which threads wait for.
    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-cancellation
    """

    def end() -> None:
        try:
            session.repository.let_go()
        finally:
            print("cancelled: the next job goes on from here", flush=True)
            os._exit(ExitCode.FAILED)

    def on_signal(*_: object) -> None:
        threading.Thread(target=end, daemon=True).start()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, on_signal)


if __name__ == "__main__":
    sys.exit(main())
