"""Statistics: frame in, frame out. A module for each question: who asks one wakes no other."""
