"""The readable form of results and answers: units scaled, intervals beside values, verdicts marked.

`cells` and `sheet` are what a terminal and a notebook share.
"""
