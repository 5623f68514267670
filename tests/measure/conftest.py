import pytest

from fiotools.measure import machine


@pytest.fixture
def one_disk(tmp_path, monkeypatch):
    """A table of mounts with one disk: in a chroot the real one has no line for /."""
    table = tmp_path / "mountinfo"
    table.write_text("22 1 8:1 / / rw,relatime - ext4 /dev/none rw\n", encoding="utf-8")
    monkeypatch.setattr(machine, "_TABLE", table)
