"""A spec folder on disk, read into memory."""

from pathlib import Path

from bot.base import RepowrightError

_MOST_FILES = 2_000
_MOST_BYTES = 32 * 1024 * 1024


class SpecFolderError(RepowrightError):
    """The folder cannot be read as a spec."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """POSIX path relative to the folder -> content. Links are not followed, hidden folders not
    read; at most 2,000 files and 32 MiB."""
    if not folder.is_dir():
        raise SpecFolderError(
            "there is no such folder", where=str(folder), hint="give the folder that holds PRD.md"
        )
    out: dict[str, bytes] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_symlink() or not path.is_file() or _hidden(relative):
            continue
        out[relative.as_posix()] = path.read_bytes()
        size += path.stat().st_size
        if len(out) > _MOST_FILES or size > _MOST_BYTES:
            raise SpecFolderError(
                f"the folder holds more than {_MOST_FILES} files or 32 MiB",
                where=str(folder),
                hint="keep the spec in a folder of its own",
            )
    return out


def _hidden(relative: Path) -> bool:
    skipped = {"__pycache__", "node_modules", "recording"}
    return any(part.startswith(".") or part in skipped for part in relative.parts)
