"""Results and answers as people read them: one model of a table, text and HTML.

`columns` has the model of a table, `layout` and `preview` make tables of frames and results,
`text_table` writes them for a terminal, `html` for a notebook and a report.
"""
