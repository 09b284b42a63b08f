"""How much a text has to do with a ticket, and from where on it counts as relevant."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hermes_company.userspace.relevance.glossary import Glossary, Words
from hermes_company.userspace.relevance.tokens import located, normalise

# Okapi BM25's usual constants; a word in the title counts as this many in the text.
_K1, _B = 1.2, 0.75
TITLE_WEIGHT = 2
# A translation is a weaker sign than the word itself.
_GLOSSARY_WEIGHT = 0.5
# Beyond this, a ticket's text only repeats its subject; its title is always read.
MAX_QUERY_CHARS = 6_000

# The gate: see benchmarks/memory for what each of them costs and brings.
MIN_DISTINCT = 2
MIN_COVERAGE = 0.06
MIN_SHARE_OF_TOP = 0.4

# Texts that a memory counts beside its own. Without them every word of a first note would pass for a common one.
_UNSEEN_TEXTS = 20


@dataclass(frozen=True, slots=True)
class Concept:
    """One thing that the ticket speaks of: its own tokens, and what the glossary calls it elsewhere."""

    start: int
    end: int
    own: Words
    others: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What a ticket speaks of."""

    text: str
    concepts: tuple[Concept, ...]

    def words(self) -> tuple[str, ...]:
        """Every token by which a relevant text could be found."""
        found = (word for c in self.concepts for words in (c.own, *c.others) for word in words)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Document:
    """A text's tokens, those of the title counted several times, and how many there are."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is known of all texts together: their number, mean length, and in how many of them a word occurs."""

    size: int
    mean_length: float
    frequency: Mapping[str, int]

    def rarity(self, word: str) -> float:
        """BM25's inverse document frequency; highest for a word that no text has."""
        n = self.frequency.get(word, 0)
        return math.log(1 + (self.size + _UNSEEN_TEXTS - n + 0.5) / (n + 0.5))


@dataclass(frozen=True, slots=True)
class Rating:
    """How a text fits a query."""

    score: float
    # Share of the query's information (rarity-weighted) that the text speaks of, 0 to 1.
    coverage: float
    # How many different things both speak of.
    distinct: int
    # The query's words for them.
    terms: tuple[str, ...]


def document(title: Iterable[str], body: Iterable[str]) -> Document:
    """A document from its tokens."""
    counts = Counter(body)
    for word in title:
        counts[word] += TITLE_WEIGHT
    return Document(counts, sum(counts.values()))


def build_query(text: str, glossary: Glossary) -> Query:
    """What `text` speaks of. A glossary entry is one concept; every other token is one of its own, once."""
    text = normalise(text[:MAX_QUERY_CHARS])
    found = list(located(text))
    concepts: list[Concept] = []
    taken: list[tuple[int, int]] = []
    for match in glossary.matches(text):
        own = tuple(t.text for t in found if match.start <= t.start and t.end <= match.end)
        if own:
            concepts.append(Concept(match.start, match.end, own, match.others))
            taken.append((match.start, match.end))
    for token in found:
        # Bigrams over the edge of a known word are accidents of writing without spaces.
        if not any(start < token.end and token.start < end for start, end in taken):
            concepts.append(Concept(token.start, token.end, (token.text,)))
    unique = {concept.own: concept for concept in sorted(concepts, key=lambda c: c.start, reverse=True)}
    return Query(text, tuple(sorted(unique.values(), key=lambda c: c.start)))


def rate(query: Query, doc: Document, corpus: Corpus) -> Rating:
    """How `doc` fits `query`."""
    score = covered = total = 0.0
    spans: list[tuple[int, int]] = []
    for concept in query.concepts:
        weight = sum(corpus.rarity(word) for word in concept.own)
        own = sum(_gain(word, doc, corpus) for word in concept.own)
        present = sum(corpus.rarity(word) for word in concept.own if word in doc.counts)
        elsewhere = max((_translated(words, doc, corpus) for words in concept.others), default=0.0)
        score += max(own, elsewhere)
        total += weight
        covered += max(present, _GLOSSARY_WEIGHT * weight if elsewhere else 0.0)
        if present >= weight / 2 or elsewhere:
            spans.append((concept.start, concept.end))
    merged = _merged(spans)
    # Overlapping bigrams are one word: two characters of it weigh as much as one English word.
    distinct = sum(max(1, (end - start) // 2) if not query.text[start:end].isascii() else 1 for start, end in merged)
    terms = tuple(dict.fromkeys(query.text[start:end] for start, end in merged))
    return Rating(score, covered / total if total else 0.0, distinct, terms)


def _gain(word: str, doc: Document, corpus: Corpus) -> float:
    count = doc.counts.get(word, 0)
    if not count:
        return 0.0
    norm = _K1 * (1 - _B + _B * doc.length / corpus.mean_length)
    return corpus.rarity(word) * count * (_K1 + 1) / (count + norm)


def _translated(words: Words, doc: Document, corpus: Corpus) -> float:
    if not all(word in doc.counts for word in words):
        return 0.0
    return _GLOSSARY_WEIGHT * sum(_gain(word, doc, corpus) for word in words)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def relevant(rating: Rating, top: float) -> bool:
    """The gate. `top` is the best score that any text reached for this query."""
    return rating.distinct >= MIN_DISTINCT and rating.coverage >= MIN_COVERAGE and rating.score >= MIN_SHARE_OF_TOP * top
