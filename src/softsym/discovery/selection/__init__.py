"""Model selection: which models and baselines are fitted, and which of them predicts."""
