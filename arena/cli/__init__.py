"""The commands: wiring only."""
