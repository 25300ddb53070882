"""Choose a contract by the cards: ``3N if hcp(north) >= 16 else 2N``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cards import as_dealset
from .conditions import Layouts, Node, Tricks, value_of
from .dealer_script import Outcome, outcomes_of


class Strategy:
    """A rule that chooses the contract of each deal; made from text by ``read_strategy``."""

    def __init__(self, text: str, outcomes: Sequence[Outcome], conditions: Sequence[Node]):
        self.text = text
        """The text as written."""
        self.outcomes = tuple(dict.fromkeys(outcomes))
        """The contracts that it may choose, without duplicates, in the order of the text."""
        self._places = np.array([self.outcomes.index(outcome) for outcome in outcomes])
        self.conditions = tuple(conditions)
        """The conditions that decide, in the order of the text."""

    def choose(self, deals: Any, tricks: Tricks | None = None) -> NDArray[np.int64]:
        """Return which of ``outcomes`` is played in each deal: (n,) indices.

        ``deals`` is anything that makes a DealSet, such as (n, 52) owners; ``tricks`` finds the
        (n, 5, 4) tricks of (n, 52) owners, if a condition needs them. Raises ConstraintError for a
        division by zero, and if tricks are needed without it.
        """
        chosen: NDArray[np.int64] = self._places[self.decided_by(deals, tricks)]
        return chosen

    def decided_by(self, deals: Any, tricks: Tricks | None = None) -> NDArray[np.int64]:
        """Return which of ``conditions`` decides in each deal: (n,), their number if none does.

        Arguments and errors are those of ``choose``.
        """
        layouts = Layouts(as_dealset(deals)[0].owners, tricks)
        decided, open_ = np.full(len(layouts), len(self.conditions)), np.arange(len(layouts))
        for number, condition in enumerate(self.conditions):
            holds = np.broadcast_to(value_of(condition, layouts), len(layouts))
            decided[open_[holds]] = number
            layouts, open_ = layouts.those(~holds), open_[~holds]
        return decided

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Strategy({self.text!r})"


def read_strategy(text: str, source: str = "strategy") -> Strategy:
    """Read a rule that chooses a contract by conditions in Dealer's language.

    Args:
        text: The rule, such as ``"3N if hcp(north) >= 16 else 2N"``. A contract may name its
            declarer (``4S by N``), or be ``pass``.
        source: Name of the text in messages.

    Returns:
        A Strategy: ``choose`` picks a contract for each deal.

    Raises:
        ConstraintError: The text cannot be read; the message has line, column and a caret.

    Example:
        >>> from trickcast.dealing import read_strategy
        >>> rule = read_strategy("3N if hcp(north) >= 16 else 2N")
        >>> [str(outcome) for outcome in rule.outcomes]
        ['3N', '2N']
        >>> rule.choose("N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98")
        array([0])
    """
    return Strategy(" ".join(text.split()), *outcomes_of(text, source))
