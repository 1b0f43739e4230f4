"""The claims of the paper, tested on stored runs or computed at once: each holds, does not hold, or cannot be decided yet."""
