"""Tasks: data with known or unknown symmetries, as seeded samples of inputs and targets."""
