"""What a fit would do, and with which candidates: parameters and data are read and refused here."""
