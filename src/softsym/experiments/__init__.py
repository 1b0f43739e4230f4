"""The paper's experiments: typed specs, a store of runs, engines, tables and figures."""
