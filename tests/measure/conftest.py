import pytest

from fiotools.measure import machine

ROOT_MOUNT = "22 1 8:1 / / rw,relatime - ext4 /dev/none rw\n"


@pytest.fixture
def mounts(tmp_path, monkeypatch):
    """Write a table of mounts that is taken for the system's."""
    table = tmp_path / "mountinfo"
    monkeypatch.setattr(machine, "_TABLE", table)
    return lambda text: table.write_text(text, encoding="utf-8")


@pytest.fixture
def one_disk(mounts):
    """A table of mounts with one disk: in a chroot the real one has no line for /."""
    mounts(ROOT_MOUNT)


@pytest.fixture
def sys_folder(tmp_path, monkeypatch):
    """A folder that is taken for /sys."""
    monkeypatch.setattr(machine, "_SYS", tmp_path)


@pytest.fixture
def place(tmp_path):
    """An empty folder to measure."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


@pytest.fixture
def places(tmp_path):
    """A folder with two to measure, a and b."""
    for name in "ab":
        (tmp_path / name).mkdir()
    return tmp_path
