"""Which ticket lies where, kept up to date by single arrivals and departures."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_company.domain.ticket import State


@dataclass(slots=True)
class Places:
    """Every file of the board by its id. Ids that differ only in case are the same on some machines, so they clash here too."""

    # Tickets that lie in exactly one folder.
    states: dict[str, State] = field(default_factory=dict)
    # Tickets that lie in several, with the paths below the company's root.
    conflicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _lying: dict[str, tuple[tuple[str, State], ...]] = field(default_factory=dict)

    def add(self, ticket: str, state: State) -> bool:
        """A file of that id lies in `state`; False when that was known."""
        key = ticket.casefold()
        before = self._lying.get(key, ())
        if (ticket, state) in before:
            return False
        self._set(key, (*before, (ticket, state)))
        return True

    def remove(self, ticket: str, state: State) -> set[str]:
        """It lies there no more. Returns the ids whose place is another one now."""
        key = ticket.casefold()
        before = self._lying.get(key, ())
        if (ticket, state) not in before:
            return set()
        self._set(key, tuple(place for place in before if place != (ticket, state)))
        return {name for name, _ in before}

    def _set(self, key: str, places: tuple[tuple[str, State], ...]) -> None:
        for name, _ in self._lying.get(key, ()):
            self.states.pop(name, None)
            self.conflicts.pop(name, None)
        if places:
            self._lying[key] = places
        else:
            self._lying.pop(key, None)
        if len(places) == 1:
            self.states[places[0][0]] = places[0][1]
        elif places:
            paths = tuple(f"tasks/{state}/{name}.md" for name, state in sorted(places, key=_board_order))
            self.conflicts.update({name: paths for name, _ in places})


def _board_order(place: tuple[str, State]) -> tuple[int, str]:
    return list(State).index(place[1]), place[0]
