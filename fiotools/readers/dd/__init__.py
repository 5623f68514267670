"""dd's reports."""
