"""Reads the report artifact of a check run: a zip that comes from where generated code ran."""

import io
import re
import zipfile
from pathlib import Path

from pydantic import ValidationError

from bot.checks.report import Report
from bot.checks.results import RunFacts, read_report
from bot.zips import BROKEN, METHODS

_NAME = re.compile(
    r"(run\.json|output\.txt|[1-9]/(junit\.xml|events\.jsonl|(coverage|spectrum)\.json))"
)
# How the problem of a report begins where its artifact is at fault.
UNUSABLE = "the report artifact cannot be used: "
# Where a check that could not run says why.
PROBLEM = "problem.txt"
_LARGEST_ZIP = 32 * 1024 * 1024
_LARGEST_FILE = 32 * 1024 * 1024
_LARGEST_SUM = 128 * 1024 * 1024
_MOST_ENTRIES = 256


def report_from_artifact(content: bytes) -> Report:
    """The Report in an artifact's zip. Only files of known names are read, none is written, and
    what is too large, or no zip, gives a Report that says so."""
    files, problem = _unpacked(content)
    return Report(collected=False, problem=UNUSABLE + problem) if problem else read_report(files)


def files_from_artifact(content: bytes) -> dict[str, bytes]:
    """The report's files in an artifact's zip, for `read_report`; none where it cannot be used."""
    return _unpacked(content)[0]


def report_from_folder(folder: Path) -> Report:
    """The Report in a folder that `write_files` filled."""
    return read_report(files_from_folder(folder))


def files_from_folder(folder: Path) -> dict[str, bytes]:
    """The report's files in such a folder, for `read_report`."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return {name: (folder / name).read_bytes() for name in names if _NAME.fullmatch(name)}


def problem_in_folder(folder: Path) -> str:
    """Why a folder holds no report, in one sentence, where the check said so; else ""."""
    told = folder / PROBLEM
    if (folder / "run.json").exists() or not told.is_file():
        return ""
    return told.read_text("utf-8").strip()


def tests_in_folder(folder: Path) -> tuple[str, ...]:
    """The folders with tests that the report in a folder is about."""
    try:
        return RunFacts.model_validate_json((folder / "run.json").read_bytes()).tests
    except (OSError, ValidationError):
        return ()


def _unpacked(content: bytes) -> tuple[dict[str, bytes], str]:
    """The files of known names in a zip, or what is wrong with it."""
    if len(content) > _LARGEST_ZIP:
        return {}, "it is too large"
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if len(archive.infolist()) > _MOST_ENTRIES:
                return {}, "it holds too many files"
            return _known_files(archive), ""
    except BROKEN as error:
        return {}, f"it is not a zip that can be read: {error}"


def _known_files(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Contents by name; a size that the directory of the zip understates is noticed on reading."""
    files: dict[str, bytes] = {}
    left = _LARGEST_SUM
    for entry in archive.infolist():
        if not _NAME.fullmatch(entry.filename) or entry.filename in files:
            continue
        if entry.compress_type not in METHODS:
            raise zipfile.BadZipFile(f"{entry.filename} is packed in an unusual way")
        with archive.open(entry) as file:
            content = file.read(min(_LARGEST_FILE, left) + 1)
        if len(content) > min(_LARGEST_FILE, left):
            continue
        left -= len(content)
        files[entry.filename] = content
    return files
