"""The paper again: specs of its tables and figures, engines that run them, a store of results, and what is rendered from it."""
