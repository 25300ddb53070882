"""What a file of boards keeps when it is written in PBN, in LIN, and in one after the other.

``PYTHONPATH=src python tests/round_trip.py FILE`` reads a file, writes what was found, reads that
again and compares board by board, in order. Exit status 1 where anything differs. Three minutes for
the 35,806 boards of ``championships.pbn.gz``; the tests take a part of them.
"""

import gzip
import io
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from trickcast.cards import Board, DealSet
from trickcast.formats import FormatWarning, iter_deals, write_stream

ROUTES = (("pbn",), ("lin",), ("pbn", "lin"), ("lin", "pbn"))
MATCH = 64  # boards in a row that are compared or left out together: both rooms
KEPT = ("number", "dealer", "vulnerability", "auction", "contract", "declarer", "play", "result")


def through(sets: Sequence[DealSet], route: Sequence[str]) -> list[DealSet]:
    """Return the deals as they are read after they were written in each of the formats."""
    for form in route:
        written = io.BytesIO()
        write_stream(sets, written, form)
        written.seek(0)
        sets = list(iter_deals(written, form, skipped=[], partial=True))
    return list(sets)


def boards(sets: Sequence[DealSet]) -> Iterator[tuple[bytes, Board]]:
    """Yield the owners and the board of each deal."""
    for deals in sets:
        for owners, board in zip(deals.owners, deals.boards or (), strict=True):
            yield owners.tobytes(), board


def differences(before: Sequence[DealSet], after: Sequence[DealSet]) -> list[str]:
    """Name what is not as it was."""
    counts = [sum(map(len, sets)) for sets in (before, after)]
    if counts[0] != counts[1]:
        return [f"{counts[0]:,} boards became {counts[1]:,}"]
    found = []
    pairs = zip(boards(before), boards(after), strict=True)
    for place, ((cards, board), (same_cards, again)) in enumerate(pairs, start=1):
        if cards != same_cards:
            found.append(f"deal {place}: other cards")
        for name in KEPT:
            was, now = getattr(board, name), getattr(again, name)
            if was != now and not (name == "declarer" and board.contract == "PASS"):
                found.append(f"deal {place}: {name} was {was!r}, is {now!r}")
    return found


def part(path: Path, every: int) -> io.BytesIO:
    """Return every so many-th match of a packed PBN file."""
    records = gzip.decompress(path.read_bytes()).split(b"\n\n")
    kept = (record for i, record in enumerate(records) if i // MATCH % every == 0)
    return io.BytesIO(b"\n\n".join(kept))


def main(path: Path, every: int = 1) -> int:
    """Compare the boards of a file, or of a part in so many; return the exit status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        source = path if every == 1 else part(path, every)
        form = None if every == 1 else "pbn"
        before = list(iter_deals(source, form, skipped=[], partial=True))
        said = dict.fromkeys(KEPT, 0)
        for _, board in boards(before):
            for name in KEPT:
                said[name] += getattr(board, name) not in (None, ())
        print(f"{path.name}: {sum(map(len, before)):,} boards;",
              ", ".join(f"{name} of {count:,}" for name, count in said.items()))  # fmt: skip
        wrong = 0
        for route in ROUTES:
            start = time.perf_counter()
            found = differences(before, through(before, route))
            wrong += len(found)
            took = time.perf_counter() - start
            print(f"{' and '.join(route):<12} {len(found):>6,} differences ({took:.0f} s)")
            for difference in found[:5]:
                print(f"  {difference}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
