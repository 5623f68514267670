"""What people see of an error."""

import pytest

import fiotools as ft

pytest.importorskip("IPython", reason="IPython is not installed")
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(("mode", "is_long"), [("Context", False), ("Verbose", True)])
def test_ipython_shows_the_message_alone(shell, capsys, tmp_path, mode, is_long):
    (tmp_path / "diary.txt").write_text("Dear diary,\n")
    shell.run_line_magic("xmode", mode)
    shell.user_ns["ft"], shell.user_ns["path"] = ft, tmp_path / "diary.txt"
    shell.run_cell("ft.read(path)")
    said = capsys.readouterr().out

    assert "unknown format; it begins 'Dear diary,'" in said
    assert ("Traceback" in said) == is_long
