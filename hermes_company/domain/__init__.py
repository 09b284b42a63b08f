"""Frozen values and pure rules: no input or output, no clock."""
