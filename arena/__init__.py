"""Tournaments for Hearts-playing bots."""
