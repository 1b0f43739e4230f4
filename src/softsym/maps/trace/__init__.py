"""Following a module while it runs: which axis of every tensor, and so of every parameter, carries which representation."""
