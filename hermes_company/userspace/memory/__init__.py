"""What the company has learned: summaries become notes, approved notes come back in the next ticket's prompt."""
