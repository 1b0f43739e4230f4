"""The report of one discovery."""
