"""Finding the invariants of one tensor type, by several methods behind one class."""
