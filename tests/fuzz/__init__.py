"""Random input in bulk, run by hand and by `make fuzz`."""
