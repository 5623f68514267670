"""hyperfine's output: exports, tables and what it shows in a terminal."""
