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
# Together, the words of a ticket's text weigh at most this much more than its title: a long text repeats its subject and
# brings background, goals and acceptance criteria that half of all notes share.
_BODY_SHARE = 1.5
# A title of one or two words is not given all the say: it counts as one of so many rare words.
_LEAST_TITLE_WORDS = 3
_MAX_BODY_CHARS = 6_000
# Texts that a memory counts beside its own. Without them every word of a first note would pass for a common one.
_UNSEEN_TEXTS = 20

# The gate: see docs/reference/memory.md for what each of them costs and brings.
MIN_DISTINCT = 2
MIN_COVERAGE = 0.12
MIN_SHARE_OF_TOP = 0.6
# Two texts that share so much of their words say the same.
SAME = 0.6


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

    # Title and text, normalised; where the title ends.
    text: str
    title_end: int
    concepts: tuple[Concept, ...]

    def words(self) -> tuple[str, ...]:
        """Every token by which a relevant text could be found."""
        found = (word for c in self.concepts for words in (c.own, *c.others) for word in words)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Document:
    """How often a text has the words that matter, those of the title counted several times, and how many it has in all."""

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
    counts = count(title, body)
    return Document(counts, sum(counts.values()))


def count(title: Iterable[str], body: Iterable[str]) -> dict[str, int]:
    """How often each word occurs, one in the title several times."""
    counts = Counter(body)
    for word in title:
        counts[word] += TITLE_WEIGHT
    return counts


def build_query(title: str, body: str, glossary: Glossary) -> Query:
    """What a ticket speaks of. A glossary entry is one concept; every other token is one of its own, once."""
    title = normalise(title)
    text = f"{title}\n{normalise(body[:_MAX_BODY_CHARS])}"
    found = list(located(text))
    matches = sorted(glossary.matches(text), key=lambda match: match.start)
    concepts: list[Concept] = []
    for match in matches:
        own = tuple(t.text for t in found if match.start <= t.start and t.end <= match.end)
        if own:
            concepts.append(Concept(match.start, match.end, own, match.others))
    # Bigrams over the edge of a known word are accidents of writing without spaces.
    taken = bytearray(len(text))
    for concept in concepts:
        taken[concept.start : concept.end] = b"\1" * (concept.end - concept.start)
    concepts.extend(Concept(t.start, t.end, (t.text,)) for t in found if not any(taken[t.start : t.end]))
    first = {concept.own: concept for concept in sorted(concepts, key=lambda c: c.start, reverse=True)}
    return Query(text, len(title), tuple(sorted(first.values(), key=lambda c: c.start)))


class Rater:
    """Rates texts for one query.

    Args:
        query: what is looked for.
        corpus: tells which words are rare.
    """

    def __init__(self, query: Query, corpus: Corpus) -> None:
        self._query = query
        self._corpus = corpus
        information = [sum(corpus.rarity(word) for word in concept.own) for concept in query.concepts]
        title = sum(i for c, i in zip(query.concepts, information, strict=True) if c.start < query.title_end)
        body = sum(information) - title
        most = _BODY_SHARE * max(title, _LEAST_TITLE_WORDS * corpus.rarity(""))
        share = min(1.0, most / body) if body else 1.0
        self._weights = [1.0 if c.start < query.title_end else share for c in query.concepts]
        self._information = information
        self._mentions: dict[str, list[int]] = {}
        for number, concept in enumerate(query.concepts):
            for word in dict.fromkeys(w for words in (concept.own, *concept.others) for w in words):
                self._mentions.setdefault(word, []).append(number)
        self._total = title + share * body

    def rate(self, doc: Document) -> Rating:
        """How `doc` fits the query."""
        score = covered = 0.0
        spans: list[tuple[int, int]] = []
        touched = {number for word in doc.counts.keys() & self._mentions.keys() for number in self._mentions[word]}
        for number in sorted(touched):
            concept, weight, information = self._query.concepts[number], self._weights[number], self._information[number]
            own = sum(self._gain(word, doc) for word in concept.own)
            elsewhere = max((self._translated(words, doc) for words in concept.others), default=0.0)
            present = sum(self._corpus.rarity(word) for word in concept.own if word in doc.counts)
            score += weight * max(own, elsewhere)
            covered += weight * max(present, _GLOSSARY_WEIGHT * information if elsewhere else 0.0)
            if present >= information / 2 or elsewhere:
                spans.append((concept.start, concept.end))
        merged = _merged(spans)
        terms = tuple(dict.fromkeys(self._query.text[start:end] for start, end in merged))
        coverage = covered / self._total if self._total else 0.0
        return Rating(score, coverage, sum(_words(self._query.text[start:end]) for start, end in merged), terms)

    def _gain(self, word: str, doc: Document) -> float:
        count = doc.counts.get(word, 0)
        if not count:
            return 0.0
        norm = _K1 * (1 - _B + _B * doc.length / self._corpus.mean_length)
        return self._corpus.rarity(word) * count * (_K1 + 1) / (count + norm)

    def _translated(self, words: Words, doc: Document) -> float:
        if not all(word in doc.counts for word in words):
            return 0.0
        return _GLOSSARY_WEIGHT * sum(self._gain(word, doc) for word in words)


def _words(stretch: str) -> int:
    """How many words a stretch of text is worth: overlapping bigrams are one, and two characters weigh as much as a word."""
    return 1 if stretch.isascii() else max(1, len(stretch) // 2)


def jaccard(one: set[str], other: set[str]) -> float:
    """The share of words that two sets have in common; 0 when both are empty."""
    return len(one & other) / len(one | other) if one or other else 0.0


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
