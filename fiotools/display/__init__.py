"""Results and answers as people read them: one model of a table, text and HTML.

There is one model of a table (`model`), one layout for each kind of answer (`answers`, `findings`,
`preview`, and `layout` for any other frame), and two that write it: `text_table` for a terminal,
`html` for a notebook and a report.
"""
