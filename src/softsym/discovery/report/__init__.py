"""The report of a discovery: its content, its charts, its page."""
