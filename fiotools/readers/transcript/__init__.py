"""Sessions of a terminal, and articles that show them."""
