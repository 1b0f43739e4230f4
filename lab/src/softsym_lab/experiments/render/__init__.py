"""Tables and figures from stored runs."""
