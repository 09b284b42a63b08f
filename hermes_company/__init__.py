"""Hermes Company OS: a company that runs itself on a folder tree."""

__version__ = "0.1.0"
