"""Fitted models as one ``nn.Module`` in the units of the data."""
