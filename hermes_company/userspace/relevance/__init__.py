"""What a piece of text has to do with a ticket, in Chinese and English: tokens, glossary, scores and the gate."""
