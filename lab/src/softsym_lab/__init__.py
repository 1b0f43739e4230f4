"""The laboratory: the paper reproduced with its baselines, benchmarks, calibration of the verdicts, recorded data."""
