"""One run: what it is, how it is executed, its folder and its result."""
