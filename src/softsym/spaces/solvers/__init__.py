"""How invariants of one tensor type are found: one solver per file, behind one protocol."""
