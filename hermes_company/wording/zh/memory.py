"""Chinese sentences of userspace programs."""

SENTENCES: dict[str, str] = {}
