"""What was fitted as one plain ``nn.Module``: numbers in the units of the data go in, predictions in theirs come out."""
