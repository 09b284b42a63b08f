"""Chinese sentences of engines."""

SENTENCES: dict[str, str] = {}
