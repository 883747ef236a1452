"""Archives, logs and artifacts: the API redirects to a link that opens for a minute."""

import io
import tarfile

import requests
from embedded_world import MovedClock, World


def link(world: World) -> str:
    """The link to an archive of the branch `main`, which has one file."""
    world.repository().create_file("app.py", "First", "hello\n")
    path = f"repos/{world.seeded.repository.full_name}/tarball/main"
    answer = world.call("GET", path, allow_redirects=False)
    assert (answer.status_code, answer.content) == (302, b"")
    return answer.headers["Location"]


def test_the_link_needs_no_credential(world: World) -> None:
    answer = requests.get(link(world), timeout=30)
    assert answer.status_code == 200
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        (file,) = [member for member in archive if member.isfile()]
        found = archive.extractfile(file)
        assert found is not None
        assert (file.name.endswith("/app.py"), found.read()) == (True, b"hello\n")


def test_the_link_dies_after_a_minute(world: World, clock: MovedClock) -> None:
    url = link(world)
    clock.advance(seconds=59)
    assert requests.get(url, timeout=30).status_code == 200
    clock.advance(seconds=2)
    assert requests.get(url, timeout=30).status_code == 404


def test_nobody_makes_a_link(world: World) -> None:
    url = link(world)
    assert requests.get(url[:-1], timeout=30).status_code == 404
    assert requests.get(f"{world.github.url}/_downloads/x", timeout=30).status_code == 404
