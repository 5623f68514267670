"""Files to results: which are meant, whose each is, read side by side, and put together."""
