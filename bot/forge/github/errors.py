"""What went wrong with GitHub, as errors of the port."""

from bot.ports.forge import ForgeError, Transient


class Refused(ForgeError):
    """GitHub answered with a status that says no; `status` is the HTTP status."""

    def __init__(self, status: int, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status


class Unclear(Transient):
    """A write was sent and no usable answer came: it may or may not have happened."""


class Moved(ForgeError):
    """What the run works on lives in another repository now."""
