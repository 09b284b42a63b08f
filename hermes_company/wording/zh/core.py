"""Chinese sentences of domain, folders and kernel."""

SENTENCES: dict[str, str] = {}
