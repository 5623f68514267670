"""fio's reports: JSON, text, terse, logs; and its job files."""
