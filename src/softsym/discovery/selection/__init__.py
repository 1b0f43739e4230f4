"""Which models are fitted beside each other, and which of them predicts."""
