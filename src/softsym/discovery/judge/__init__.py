"""Judging what was trained: measures, verdicts and the table of symmetries."""
