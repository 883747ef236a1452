"""A terminal that others' text cannot steer: it writes no control sequence but its own."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from bot.markdown.mentions import clean


class PlainConsole(Console):
    """Titles, names of tests and replies of a model may hold escape sequences, which would move
    the cursor, rename the window or hide what was written; their control characters are left out.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(clean(segment.text), segment.style)
