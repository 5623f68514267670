"""What is timed: floors, fiotools and peers, each function a process of its own.

``python -m benchmarks.sides floors.orjson_files FOLDER`` runs one. A side imports what it needs
inside, so that its process loads nothing else, and returns what it made, so that this is there to
the end.
"""
