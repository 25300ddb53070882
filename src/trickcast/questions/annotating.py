"""Tricks and par as tags of PBN boards, as BridgeComposer writes them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..cards import UNKNOWN, Board, DealSet, Tag
from ..formats.board_text import numbered
from ..formats.pbn_board import DIGITS, format_digits
from ..scoring import Par, ParContract
from ..scoring import par as par_of

_SCORE, _CONTRACT = "OptimumScore", "ParContract"


def annotated(chunks: Iterator[DealSet], comment: str | None = None) -> Iterator[DealSet]:
    """Pass deals on with DoubleDummyTricks, OptimumScore and ParContract among their tags.

    Boards without a complete table stay as they are. Without dealer and vulnerability, or a number
    that gives them, the par is left out. Earlier tags with the same names are replaced.
    ``comment`` follows the tricks. (The writer of PBN adds the OptimumResultTable itself.)
    """
    for deals in numbered(chunks):
        boards = deals.boards or (Board(),) * len(deals)
        tables = deals.tricks_or_unknown
        yield DealSet(
            deals.owners,
            deals.tricks,
            [
                board if (table == UNKNOWN).any() else _annotated(board, table, comment)
                for board, table in zip(boards, tables, strict=True)
            ],
        )


def _annotated(board: Board, table: NDArray[np.uint8], comment: str | None) -> Board:
    lines = () if comment is None else (f"{{{comment}}}",)
    fresh = [Tag(DIGITS, format_digits(table), lines)]
    known = board.completed()
    if known.dealer is not None and known.vulnerability is not None:
        best = par_of(table, known.dealer, known.vulnerability)
        fresh += [Tag(_SCORE, f"NS {best.score}"), Tag(_CONTRACT, par_text(best))]
    names = {DIGITS, _SCORE, _CONTRACT}
    kept = [tag for tag in board.tags if tag.name not in names]
    return replace(board, tags=(*kept, *fresh))


def par_text(best: Par) -> str:
    """Return a par's contracts as BridgeComposer does: ``NS 4H=; NS 5DX-1``."""
    return "; ".join(map(_contract_text, best.contracts)) or "Pass"


def _contract_text(contract: ParContract) -> str:
    seats = "".join(seat.letter for seat in contract.declarers)
    over = contract.tricks - contract.contract.tricks
    return f"{seats} {contract.contract}{f'{over:+d}' if over else '='}"
