"""All that touches the company tree."""
