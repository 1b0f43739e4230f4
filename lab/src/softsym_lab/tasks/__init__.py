"""Recorded and simulated data sets: motion, flights, table tennis, motion capture, flow in a duct."""
