"""What it means when a person moves a ticket's file: each of the 20 ways has one meaning."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_company.domain.ticket import State

T, G, B, R, D = State.TODO, State.DOING, State.BLOCKED, State.REVIEW, State.DONE


@dataclass(frozen=True, slots=True)
class Meaning:
    """What follows from one move."""

    # The event that tells of it.
    event: str
    # One English sentence for the documentation.
    says: str
    # Earlier failures no longer count.
    forgives: bool = False
    # The next attempt begins a new conversation, whatever came before.
    anew: bool = False


_MOVED, _APPROVED, _REJECTED = "ticket.moved", "ticket.approved", "ticket.rejected"

MEANINGS: dict[tuple[State, State], Meaning] = {
    (T, G): Meaning(_MOVED, "Start it as soon as its agent is free.", forgives=True, anew=True),
    (T, B): Meaning(_MOVED, "Park it until a person moves it on."),
    (T, R): Meaning(_MOVED, "Done by hand; somebody is to look at it."),
    (T, D): Meaning(_APPROVED, "Done by hand and accepted."),
    (G, T): Meaning(_MOVED, "End the run and queue the ticket again, from the beginning.", forgives=True, anew=True),
    (G, B): Meaning(_MOVED, "End the run and park the ticket."),
    (G, R): Meaning(_MOVED, "End the run; what there is goes to review."),
    (G, D): Meaning(_APPROVED, "End the run; what there is is accepted."),
    (B, T): Meaning(_MOVED, "Queue it again, from the beginning; earlier failures are forgiven.", forgives=True, anew=True),
    (B, G): Meaning(_MOVED, "Go on in the same conversation.", forgives=True),
    (B, R): Meaning(_MOVED, "Nothing more to do; look at what there is."),
    (B, D): Meaning(_APPROVED, "Accepted as it is."),
    (R, T): Meaning(_REJECTED, "Not accepted: do it again, from the beginning.", forgives=True, anew=True),
    (R, G): Meaning(_REJECTED, "Not accepted: go on in the same conversation, with the feedback.", forgives=True),
    (R, B): Meaning(_MOVED, "Park it."),
    (R, D): Meaning(_APPROVED, "Accepted."),
    (D, T): Meaning(_REJECTED, "Opened again: do it again, from the beginning.", forgives=True, anew=True),
    (D, G): Meaning(_REJECTED, "Opened again: go on in the same conversation, with the feedback.", forgives=True),
    (D, B): Meaning(_MOVED, "Opened again and parked; its experience waits for acceptance."),
    (D, R): Meaning(_MOVED, "Back to review; its experience waits for acceptance."),
}


def judges(before: State, after: State) -> bool:
    """Whether that move says something about the work: accepted, not accepted, or no longer accepted."""
    return MEANINGS[before, after].event != _MOVED or before is D
