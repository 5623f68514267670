"""The readers: one module per format, listed here by hand."""

from fiotools.readers import dd, diskspd_text, diskspd_xml, fio_json, fio_normal, time, transcript
from fiotools.readers.base import Grammar, Reader, Report, Session

READERS: tuple[Reader, ...] = (
    dd.READER,
    diskspd_text.READER,
    diskspd_xml.READER,
    fio_json.READER,
    fio_normal.READER,
    time.READER,
    transcript.READER,
)

__all__ = ["READERS", "Grammar", "Reader", "Report", "Session"]
