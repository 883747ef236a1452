"""What became of the App's deliveries, as GitHub tells it."""

from bot.base import Data, RepowrightError
from bot.forge.github.credentials import AppKey
from bot.forge.github.scout import AppReach
from bot.forge.github.transport import TransportSettings
from bot.setup.desk import Desk
from bot.setup.kept import KeptApp

_SECONDS = 10


class HookReport(Data):
    """Where GitHub delivers, how its last delivery went, where the App is installed, and what
    stood in the way of asking; each empty where it is not known."""

    url: str = ""
    last: str = ""
    repositories: tuple[str, ...] = ()
    problem: str = ""


def look_at_github(desk: Desk) -> HookReport:
    """Ask GitHub how the App does. Where nothing was heard yet, ask it once to send the ping again
    that it sent when the App was made: at that time nobody here knew the secret."""
    if desk.app is None:
        return HookReport()
    try:
        return _look(desk, reach_of_app(desk.app))
    except RepowrightError as error:
        return HookReport(problem=error.sentence)


def reach_of_app(app: KeptApp) -> AppReach:
    """GitHub as the App sees it, asked once and hastily: a person waits."""
    settings = TransportSettings(
        api_url=app.api_url, timeout=_SECONDS, read_attempts=1, longest_wait=0.0
    )
    key = AppKey(app_id=app.app_id, private_key=app.private_key, installation_id=0)
    return AppReach(settings, key)


def _look(desk: Desk, reach: AppReach) -> HookReport:
    repositories = tuple(name for name, _ in reach.repositories())
    if desk.heard:
        return HookReport(repositories=repositories)
    deliveries = reach.deliveries()
    ping = next((d for d in deliveries if d.get("event") == "ping"), None)
    if ping is not None and desk.asks_for_ping():
        reach.redeliver(int(ping["id"]))
    return HookReport(
        url=str(reach.hook().get("url", "")),
        last=str(deliveries[0].get("status", "")) if deliveries else "",
        repositories=repositories,
    )
