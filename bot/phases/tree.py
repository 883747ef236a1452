"""The files of a commit as text, and the commits that a round makes."""

import base64
from collections.abc import Mapping, Sequence

from bot.phases.run import Phase, RunState
from bot.phases.services import Services
from bot.spec.model import GivenFile, Spec
from bot.verify.imports import distributions


def texts_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path -> text of every file that is UTF-8; the others are data that no agent reads."""
    out: dict[str, str] = {}
    for path, content in files.items():
        try:
            out[path] = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return out


def content_of(given: GivenFile) -> bytes:
    """A given file's bytes."""
    if given.encoding == "base64":
        return base64.b64decode(given.text)
    return given.text.encode("utf-8")


def with_requirements(present: str, wanted: Sequence[str]) -> str:
    """A requirements file with lines for the distributions that it lacks; what stands in it is
    the maintainers' and stays."""
    known = distributions(present.splitlines())
    lines = [line for line in wanted if not distributions([line]) <= known]
    kept = present if not present or present.endswith("\n") else f"{present}\n"
    return kept + "".join(f"{line}\n" for line in lines)


def given_paths(spec: Spec) -> frozenset[str]:
    """Paths that belong to the author: check tests and data."""
    return frozenset(f.path for f in (*spec.check_tests, *spec.resources))


def project_texts(state: RunState, spec: Spec, services: Services, commit: str) -> dict[str, str]:
    """The project's own text files at a commit: neither given, nor GitHub's, nor the bot's page."""
    return own_texts(services.git.read(commit), spec, state.settings.check_tests)


def own_texts(files: Mapping[str, bytes], spec: Spec, check_tests: str) -> dict[str, str]:
    """The project's own text files of a tree, whose check tests stand in the folder."""
    given = given_paths(spec)
    return {
        path: text
        for path, text in texts_of(files).items()
        if path not in given
        and not path.startswith((".github/", f"{check_tests}/"))
        and path != ARCHITECTURE_PAGE
    }


def with_derived_tests(state: RunState, spec: Spec, services: Services) -> Spec:
    """The spec with the check tests that the run derived, once they stand on the branch; from
    then on they are protected as if the author had given them."""
    if spec.check_tests or state.phase not in (Phase.CODE, Phase.CHECK, Phase.DELIVER):
        return spec
    folder = f"{state.settings.check_tests}/"
    tests = texts_of(services.git.read(state.head))
    derived = tuple(GivenFile(path=p, text=t) for p, t in tests.items() if p.startswith(folder))
    return spec.model_copy(update={"check_tests": derived})


ARCHITECTURE_PAGE = "ARCHITECTURE.md"
REQUIREMENTS = "requirements.txt"


def commit(
    state: RunState, services: Services, changes: Mapping[str, str | None], message: str, what: str
) -> RunState:
    """Commit and push text changes on the work branch; nothing happens where nothing changes."""
    present = services.git.read(state.head)
    real: dict[str, bytes | None] = {
        path: None if text is None else text.encode("utf-8")
        for path, text in changes.items()
        if (text is None and path in present)
        or (text is not None and present.get(path) != text.encode("utf-8"))
    }
    if not real:
        return state
    head = services.git.commit(
        state.branch, parent=state.head, changes=real, message=message, mark=state.mark(what)
    )
    return state.model_copy(update={"head": head})
