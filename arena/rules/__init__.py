"""The rules of every variant: pure, synchronous, no clock, no input or output, no randomness of its own."""
