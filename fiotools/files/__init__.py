"""Files as they lie somewhere: packed, far away, locked, and written whole or not at all."""
