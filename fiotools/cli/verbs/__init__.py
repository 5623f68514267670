"""One module per verb: its function, and `COMMAND` at the end."""
