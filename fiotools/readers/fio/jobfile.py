"""fio's job files: what was to be done. They hold settings and no result, and are told by that.

An INI of fio's own kind, written by hand: ``[section]`` names a job, ``key=value`` or a bare flag
gives an option; ``;`` and ``#`` begin a comment anywhere in a line.

Specified in fio's ``init.c`` (``__parse_jobs_ini``), ``parse.c`` (``strip_blank_end``) and
``HOWTO``, "Job file format".
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"[;#].*")
_OPTION = re.compile(r"([A-Za-z_][\w-]*)\s*(?:=\s*(.*))?")
_INCLUDE = re.compile(r"include\s+\S")
# a job file has one of these options; other programs' files do not
_TELLING = {
    *("rw", "readwrite", "ioengine", "bs", "blocksize", "iodepth", "numjobs", "bsrange", "bssplit"),
    *("rwmixread", "rwmixwrite", "time_based", "group_reporting", "stonewall", "iodepth_batch"),
}
_LOOK_AT = 2000  # lines


def is_job_file(text: str) -> bool:
    """Whether a text is a job file: sections of options, some of them only fio's."""
    has_section = is_certain = False
    for line in text.split("\n", _LOOK_AT)[:_LOOK_AT]:
        bare = _COMMENT.sub("", line).strip()
        if bare.startswith("["):
            if not bare.endswith("]"):
                return False
            has_section = True
        elif has_section and (option := _OPTION.fullmatch(bare)):
            is_certain |= option[1] in _TELLING
        elif bare and not (has_section and _INCLUDE.match(bare)):
            return False
    return is_certain
