"""Import the modules that the arguments name, from the working folder, and print one JSON object:
module -> why it could not be imported."""

import contextlib
import importlib
import io
import json
import sys
from pathlib import Path


def main() -> None:
    here = Path.cwd()
    sys.path[:0] = [str(here), str(here / "src")]
    failed: dict[str, str] = {}
    for module in sys.argv[1:]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                importlib.import_module(module)
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a module raises is told
            failed[module] = f"{type(error).__name__}: {error}"
    print(json.dumps(failed))


main()
