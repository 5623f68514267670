"""What ``time`` prints, of every shell."""
