"""What is timed: floors and fiotools, each function in a process of its own; and commands.

A side imports what it needs inside, so that its process loads nothing else, and returns what it
made, so that this is there to the end.
"""
