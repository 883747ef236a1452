"""What a bare repository's own git settings and hooks enforce on a push."""

import shutil
from importlib.resources import as_file, files

from bot.forge.embedded.git.bare import BareRepository

_SETTINGS = {
    "http.receivepack": "true",
    "receive.procReceiveRefs": "refs",
    "receive.hideRefs": "refs/pull",
    "receive.advertisePushOptions": "false",
    "receive.fsckObjects": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "uploadpack.allowFilter": "true",
    "gc.auto": "0",
}
_HOOKS = ("proc-receive", "post-receive")


def install_hooks(repository: BareRepository) -> None:
    """Settings and hooks of a new repository."""
    for key, value in _SETTINGS.items():
        repository.git("config", key, value)
    folder = repository.path / "hooks"
    folder.mkdir(exist_ok=True)
    for name in _HOOKS:
        with as_file(files("bot.forge.embedded.git").joinpath(f"{name}.sh")) as script:
            shutil.copyfile(script, folder / name)
        (folder / name).chmod(0o755)
