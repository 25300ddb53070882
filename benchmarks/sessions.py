"""Join and compare records of championships, and time a match's report.

    python benchmarks/sessions.py [../shared/data/played/championships.pbn.gz]

Every record of the file must become a table of its deal, with the contract, the result, the auction
and the play that the file states. North-South's scores and IMPs are computed anew, by the laws'
table and steps written out here. Then a match of 32 boards at two tables is printed in both forms
(``trickcast report``), each beside the processor time in which DDS alone solves the boards.
"""

import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

import trickcast as tc
from trickcast import session

_STEPS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
_CHAMPIONSHIPS = Path("../shared/data/played/championships.pbn.gz")
_BOARDS = 32
_ROUNDS = 3

Record = dict[str, str]


def records(path: Path) -> list[Record]:
    """Return the tags of every record, its sections under ``auction`` and ``play``."""
    found = []
    for text in gzip.decompress(path.read_bytes()).decode().split("\n\n"):
        tags = dict(re.findall(r'^\[(\w+) "([^"]*)"\]$', text, re.MULTILINE))
        for name in ("Auction", "Play"):
            section = re.search(rf'\[{name} "."\]\n([^\[]*)', text)
            tags[name.lower()] = "" if section is None else section[1]
        if "Deal" in tags:
            found.append(tags | {"text": text + "\n\n"})
    return found


def imps(difference: int) -> int:
    """Return IMPs, by counting the steps of law 78."""
    won = sum(abs(difference) >= step for step in _STEPS)
    return won if difference > 0 else -won


def score(tags: Record) -> int | None:
    """Return North-South's score by law 77; None if contract or result is not known."""
    contract, result, by = (
        re.sub(r"^(\^|NS |EW )", "", tags.get(name, "")).upper()
        for name in ("Contract", "Result", "Declarer")
    )
    if contract == "PASS":
        return 0
    bid = re.fullmatch(r"([1-7])(NT|[CDHSN])(X{0,2})", contract)
    if bid is None or not result.isdecimal() or by not in ("N", "E", "S", "W"):
        return None
    level, strain, doubled = int(bid[1]), bid[2][0], len(bid[3])
    side = "NS" if by in "NS" else "EW"
    vulnerable = tags["Vulnerable"] in ("All", "Both", side)
    over = int(result) - 6 - level
    if over >= 0:
        trick = 20 if strain in "CD" else 30
        bid_points = (level * trick + 10 * (strain == "N")) * 2**doubled
        points = bid_points + 50 * doubled
        points += 50 if bid_points < 100 else 500 if vulnerable else 300
        points += {6: (500, 750), 7: (1000, 1500)}.get(level, (0, 0))[vulnerable]
        points += over * (100 * doubled * (1 + vulnerable) if doubled else trick)
    elif not doubled:
        points = over * (50, 100)[vulnerable]
    else:
        each = [200, *[300] * 12] if vulnerable else [100, 200, 200, *[300] * 10]
        points = -doubled * sum(each[:-over])
    assert isinstance(points, int)
    return points if side == "NS" else -points


def is_silent(tags: Record) -> bool:
    """Return whether a record has nothing about what happened."""
    known = [tags.get(name, "?").strip("?") for name in ("Contract", "Result")]
    return not any([*known, words(tags["auction"]), words(tags["play"])])


def words(section: str) -> list[str]:
    """Return the cards or calls of a section, without notes and ends."""
    plain = re.sub(r"=\d+=|\$\d+|[!?*]|\{.*?\}", " ", section, flags=re.DOTALL)
    return [word.upper() for word in plain.split() if word not in ("-", "+", "AP")]


def joined(path: Path) -> None:
    """Join all records, and compare the result with the text."""
    written = records(path)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        played = session.read(path)
    print(f"{len(written):,} records, {played.tables:,} tables on {len(played.boards):,} deals, "
          f"read in {time.perf_counter() - began:.0f} s")  # fmt: skip
    of_deal: dict[str, list[Record]] = defaultdict(list)
    for tags in written:
        of_deal[tc.Deal(tags["Deal"]).pbn].append(tags)
    right = compared = lost_calls = lost_cards = calls = cards = 0
    for board in played.boards:
        assert board.deal is not None
        tables = of_deal.pop(board.deal.pbn)
        tables.sort(key=is_silent)  # silent ones last, once it is known that others have results
        scores = [score(tags | {"Vulnerable": tables[0]["Vulnerable"]}) for tags in tables]
        known = [points for points in scores if points is not None]
        means = [
            np.nan if points is None or len(known) < 2
            else sum(imps(points - other) for other in known) / (len(known) - 1)
            for points in scores
        ]  # fmt: skip
        ours = [table.score for table in board.tables]
        compared += bool(known)
        right += bool(known) and ours == scores and np.allclose(board.imps, means, equal_nan=True)
        for table, tags in zip(board.tables, tables, strict=True):
            calls += bool(words(tags["auction"]))
            cards += bool(words(tags["play"]))
            lost_calls += bool(words(tags["auction"])) and not table.auction
            lost_cards += bool(words(tags["play"])) and not table.play
    print(f"deals of the file that are no board: {len(of_deal)}")
    print(f"N-S scores and IMPs of all tables as computed here: {right:,} of {compared:,} boards "
          f"({right / compared:.2%})")  # fmt: skip
    print(f"auctions: {calls - lost_calls:,} of {calls:,}; plays: {cards - lost_cards:,} of "
          f"{cards:,}; told of: {len(played.skipped):,} places")  # fmt: skip


def match_of(path: Path) -> list[Record]:
    """Return the first match of 32 boards whose two rooms all have a result."""
    rounds: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for tags in records(path):
        if tags.get("Room") and score(tags) is not None:
            rounds[tags["Event"], tags.get("Round", "")].append(tags)
    for found in rounds.values():
        numbers = defaultdict(list)
        for tags in found:
            numbers[tags["Board"]].append(tags)
        twice = [each for each in numbers.values() if len(each) == 2]
        if len(twice) >= _BOARDS:
            return [tags for each in twice[:_BOARDS] for tags in each]
    raise SystemExit(f"{path}: no match of {_BOARDS} boards at two tables")


def seconds(*arguments: str) -> float:
    """Return the least processor time of a few runs of Python."""
    taken = []
    for _ in range(_ROUNDS):
        before = os.times()
        subprocess.run([sys.executable, *arguments], check=False, capture_output=True)
        after = os.times()
        taken.append(after.children_user + after.children_system
                     - before.children_user - before.children_system)  # fmt: skip
    return min(taken)


def reports(path: Path) -> None:
    """Print a match in both forms."""
    match = match_of(path)
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder, "match.pbn"), Path(folder, "match.html")
        file.write_text("".join(tags["text"] for tags in match), "utf-8")
        deals = list(dict.fromkeys(tc.Deal(tags["Deal"]).pbn for tags in match))
        loaded = seconds("-c", "import trickcast as tc; tc.solve([])")
        alone = seconds("-c", f"import trickcast as tc; tc.solve({deals})") - loaded
        print(f"{len(match)} records: DDS alone solves {len(deals)} deals in {alone:.1f} s")
        report = ["-m", "trickcast", "report", str(file), "-o", str(out)]
        for name, options in (("results", []), ("hand records", ["--per-page", "18"])):
            whole = seconds(*report, *options)
            print(f"report, {name}: {whole:.1f} s, {whole / alone:.2f} of that")


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path, nargs="?", default=_CHAMPIONSHIPS)
    path = options.parse_args().file
    joined(path)
    reports(path)


if __name__ == "__main__":
    main()
