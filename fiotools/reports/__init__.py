"""Reports: results as one page that answers what a reader asks.

`study` opens results and asks them everything; `report` puts its pieces into one template, and
makes one self-contained HTML page.
"""
