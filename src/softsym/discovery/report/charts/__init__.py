"""The charts of the report, one family per file."""
