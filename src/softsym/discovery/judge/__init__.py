"""Verdicts on candidate groups: statistics of the fitted model, decision rules and the table of symmetries."""
