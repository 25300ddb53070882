"""Opening calls as text: how they are read, and their order in the auction."""

from difflib import get_close_matches

from ...cards import shorten
from ...cards.auction import BIDS

PASS = "PASS"
UNKNOWN = "UNKNOWN"
"""A network's answer for a hand whose bid it was not taught; never a call in the auction."""
CALLS = (PASS, *BIDS)
"""Every opening call, lowest first."""
_RANK = {call: rank for rank, call in enumerate((*CALLS, UNKNOWN))}


def parse_call(text: str) -> str:
    """Return the opening call that ``text`` means.

    Args:
        text: Text such as ``1nt`` (``1N``), ``p`` or ``Pass`` (``PASS``).

    Returns:
        The call: ``PASS``, or ``1C`` to ``7N``.

    Raises:
        ValueError: The text is not an opening call.

    Example:
        >>> parse_call("1nt"), parse_call("p")
        ('1N', 'PASS')
    """
    clean = text.strip().upper() if isinstance(text, str) else ""
    if clean in ("P", PASS):
        return PASS
    if clean.endswith("NT"):
        clean = clean[:-1]
    if clean not in BIDS:
        close = get_close_matches(clean[:8], CALLS, n=1)
        hint = f"did you mean {close[0]}?" if close else "expected PASS or a bid from 1C to 7N"
        raise ValueError(f"{shorten(text)} is not an opening call ({hint})")
    return clean


def call_rank(call: str) -> int:
    """Return the rank of a call in the auction: PASS 0, 1C 1 … 7N 35, UNKNOWN last."""
    return _RANK[call]


def level(call: str) -> int:
    """Return the level of a bid, and 0 for PASS."""
    return 0 if call == PASS else int(call[0])
