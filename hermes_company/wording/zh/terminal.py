"""Chinese sentences of terminal."""

SENTENCES: dict[str, str] = {}
