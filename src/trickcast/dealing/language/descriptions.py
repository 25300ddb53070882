"""Descriptions of hands: the short form, plus named hands and hands named by their opening."""

from ...cards import Seat
from .conditions import AllOf, Clause, Node
from .named_hands import named_hand
from .short_form import read_hand
from .systems import USUAL, opens, system_of

_LETTERS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f ")


def read_description(
    text: str, seat: Seat, *, source: str | None = None, system: str = USUAL
) -> tuple[Clause, ...]:
    """Read a description of one seat's hand.

    ``source`` names the text in errors, by default the seat; ``system`` applies if the text names
    none. Raises ConstraintError with line, column and a caret.

    >>> [clause.text for clause in read_description("15-17 balanced", Seat.NORTH)]
    ['15-17', 'balanced']
    """

    def opening(call: str, named: str | None) -> Node:
        return opens(call.translate(_LETTERS), system_of(named or system), seat)

    def described(words: str, named: str | None) -> Node:
        meant = system_of(named or system)
        name, meaning = named_hand(words, meant)
        clauses = read_description(meaning, seat, source=name, system=meant)
        return AllOf(tuple(clause.node for clause in clauses))

    return read_hand(text, seat, source=source, opening=opening, described=described)
