"""hyperfine's exports, and what it shows in a terminal."""
