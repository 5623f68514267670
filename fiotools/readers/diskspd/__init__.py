"""DISKSPD's reports: XML and text."""
