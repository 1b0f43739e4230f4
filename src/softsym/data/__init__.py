"""The user's table: reading files, choosing columns, splitting rows, scaling and looking at them; nothing here trains."""
