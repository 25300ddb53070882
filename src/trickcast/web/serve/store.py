"""The players of a contest, their chunks of deals and answers, in one SQLite file.

Every change is one transaction, so several processes may share the file. A deal is given only once,
to one player; its clock starts then, and keeps running while the server is down.
"""

import hashlib
import json
import logging
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from ...cards.errors import one_line
from ..contest import KINDS, NETWORKS, Problem, printed, score, score_of, shown, strain_of
from .errors import BusyError, DamagedError, DoneError, ForbiddenError, MissingError

LOG = logging.getLogger(__name__)
_APPLICATION = 0x74726963  # "tric": identifies our files
_BUSY_SECONDS = 2  # how long to wait for another program that writes to the file
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS seed (seed TEXT NOT NULL, next INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS problems (id INTEGER PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS players (
  id INTEGER PRIMARY KEY, token BLOB NOT NULL UNIQUE, name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY,
  player INTEGER NOT NULL REFERENCES players ON DELETE CASCADE,
  hands INTEGER NOT NULL, strain TEXT NOT NULL, length INTEGER NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS deals (
  chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
  number INTEGER NOT NULL, problem TEXT NOT NULL, exact INTEGER NOT NULL,
  given REAL NOT NULL, closed INTEGER NOT NULL DEFAULT 0, tricks INTEGER,
  PRIMARY KEY (chunk, number)
);
CREATE INDEX IF NOT EXISTS chunks_of_a_player ON chunks (player);
PRAGMA application_id = {_APPLICATION};
COMMIT;
"""
_BEST = """
SELECT players.name, count(*), count(DISTINCT chunks.id),
  (SELECT count(*) FROM chunks AS all_chunks
   WHERE all_chunks.player = players.id AND all_chunks.hands = :hands
     AND all_chunks.strain = :strain),
  sum(coalesce(abs(tricks - exact) <= 2, 0)), sum(coalesce(abs(tricks - exact) <= 1, 0)),
  sum(coalesce(tricks = exact, 0)) AS exactly
FROM deals JOIN chunks ON chunks.id = deals.chunk JOIN players ON players.id = chunks.player
WHERE number > 0 AND finished AND hands = :hands AND strain = :strain
GROUP BY players.id ORDER BY 1.0 * exactly / count(*) DESC, count(*) DESC LIMIT 20
"""
Row = dict[str, Any]


class StoreError(ValueError):
    """A file that cannot hold a contest."""


_DAMAGE = (sqlite3.Error, StoreError, ArithmeticError, LookupError, TypeError, ValueError)
"""Errors raised if a file's contents are not what was written."""


@dataclass(frozen=True)
class Rules:
    """How a contest is played."""

    length: int = 27
    """Deals of a chunk, after one for training, which is number 0."""
    seconds: float = 30
    """Seconds for an answer."""
    ready: int = 56
    """Deals kept solved for future players."""
    at_once: int = 10
    """Deals that an address may take at once."""
    every: float = 1
    """Seconds until it may take another: for all its players, at some seconds a deal."""


class Store:
    """A contest's file. Its methods may be called from any thread."""

    def __init__(self, path: Path, rules: Rules, clock: Callable[[], float]):
        """Open or create ``path``; ``clock`` returns seconds since 1970.

        Raises StoreError for a file with other content, and for one that cannot be written.
        """
        self.rules, self._clock, self._lock = rules, clock, Lock()
        self._path = path
        self._file: sqlite3.Connection | None = self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            file = sqlite3.connect(
                self._path, _BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(file)
            except BaseException:
                file.close()
                raise
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error} (expected a file for a contest)") from None
        return file

    def _prepare(self, file: sqlite3.Connection) -> None:
        file.row_factory = sqlite3.Row
        (marked,) = file.execute("PRAGMA application_id").fetchone()
        (tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and marked != _APPLICATION:
            raise StoreError(f"{self._path} belongs to another program (expected a contest file)")
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute("PRAGMA foreign_keys = ON")
        file.execute("PRAGMA secure_delete = ON")  # overwrites deleted names
        file.executescript(_SCHEMA)
        file.execute(
            "INSERT INTO seed SELECT ?, 0 WHERE NOT EXISTS (SELECT * FROM seed)",
            (str(secrets.randbits(64)),),
        )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def next_deal(self) -> tuple[int, int]:
        """Return the secret seed, and the number of the next deal that has not been dealt."""
        with self._transaction() as file:
            row = file.execute("SELECT seed, next FROM seed").fetchone()
            file.execute("UPDATE seed SET next = next + 1")
            return int(row["seed"]), int(row["next"])

    def add(self, problem: Problem) -> None:
        """Store a problem for future players."""
        with self._transaction() as file:
            file.execute("INSERT INTO problems (content) VALUES (?)", (json.dumps(problem),))

    def ready(self) -> int:
        """Return the number of stored problems."""
        with self._transaction() as file:
            return int(file.execute("SELECT count(*) FROM problems").fetchone()[0])

    def begin(self, hands: int, strain: str, token: str | None, name: str | None) -> Row:
        """Begin a chunk for a player, a new one if no token is given."""
        with self._transaction() as file:
            if token is None:
                token = secrets.token_urlsafe(24)
                new = (_hashed(token), name or "")
                player = file.execute("INSERT INTO players (token, name) VALUES (?, ?)", new)
                number = player.lastrowid
            else:
                number = _player(file, token)
                if name is not None:
                    file.execute("UPDATE players SET name = ? WHERE id = ?", (name, number))
            row = (number, hands, strain, self.rules.length)
            chunk = file.execute(
                "INSERT INTO chunks (player, hands, strain, length) VALUES (?, ?, ?, ?)", row
            ).lastrowid
        return {"token": token, "chunk": chunk, "hands": hands, "strain": strain} | {
            "length": self.rules.length,
            "seconds": self.rules.seconds,
        }

    def deal(self, token: str, chunk: int) -> Row:
        """Return the deal that waits for an answer, or the next one."""
        with self._transaction() as file:
            played, now = _chunk(file, token, chunk), self._clock()
            last = self._last(file, played, now)
            if last is not None and not last["closed"]:
                return _question(played, last["number"], last["problem"], self._left(last, now))
            number = 0 if last is None else last["number"] + 1
            if number <= played["length"]:
                problem = self._give(file, played, number, now)
                return _question(played, number, problem, self.rules.seconds)
        raise DoneError("the chunk is finished")

    def answer(self, token: str, chunk: int, number: int, tricks: int | None) -> Row:
        """Store an answer, or None for none, and return the right one."""
        with self._transaction() as file:
            played = _chunk(file, token, chunk)
            row = file.execute(
                "SELECT * FROM deals WHERE chunk = ? AND number = ?", (chunk, number)
            ).fetchone()
            if row is None:
                raise MissingError(f"deal {number} of this chunk has not been asked for")
            if row["closed"]:
                first = (
                    "no answer came in time" if row["tricks"] is None else f"it was {row['tricks']}"
                )
                raise DoneError(f"deal {number} was answered already ({first})")
            late = self._left(row, self._clock()) < 0
            taken = None if late else tricks
            _end(file, played, number, taken)
            solved = _solution(played, number, row["problem"], taken)
            return solved | {"late": late, "finished": number == played["length"]}

    def result(self, token: str, chunk: int) -> Row:
        """Return a chunk's score so far, the networks' on the same deals, and the printed rows."""
        with self._transaction() as file:
            played = _chunk(file, token, chunk)
            self._last(file, played, self._clock())
            played = _chunk(file, token, chunk)
            rows = file.execute(
                "SELECT * FROM deals WHERE chunk = ? AND closed ORDER BY number", (chunk,)
            ).fetchall()
            deals = [
                _solution(played, row["number"], row["problem"], row["tricks"]) for row in rows
            ]
            counted = [deal for deal in deals if deal["number"] > 0]
            return {
                "hands": played["hands"],
                "strain": played["strain"],
                "finished": bool(played["finished"]),
                "player": score([(deal["tricks"], deal["exact"]) for deal in counted]),
                "networks": {
                    name: score([(deal["networks"][name], deal["exact"]) for deal in counted])
                    for name in NETWORKS
                },
                "printed": printed(played["hands"], played["strain"]),
                "deals": deals,
            }

    def table(self) -> list[Row]:
        """Return the best players of each kind; incomplete chunks do not count."""
        with self._transaction() as file:
            return [
                {
                    "hands": hands,
                    "strain": strain,
                    "players": [
                        _best(*row)
                        for row in file.execute(_BEST, {"hands": hands, "strain": strain})
                    ],
                }
                for hands, strain in KINDS
            ]

    def forget(self, token: str) -> None:
        """Delete a player: name, chunks and answers."""
        with self._transaction() as file:
            file.execute("DELETE FROM players WHERE id = ?", (_player(file, token),))

    def _last(self, file: sqlite3.Connection, played: sqlite3.Row, now: float) -> Row | None:
        """Return a chunk's last deal, ended if its time is over."""
        row = file.execute(
            "SELECT * FROM deals WHERE chunk = ? ORDER BY number DESC LIMIT 1", (played["id"],)
        ).fetchone()
        if row is None or row["closed"] or self._left(row, now) >= 0:
            return None if row is None else dict(row)
        _end(file, played, row["number"], None)
        return dict(row) | {"closed": 1}

    def _give(self, file: sqlite3.Connection, played: sqlite3.Row, number: int, now: float) -> str:
        """Give a problem that nobody has seen, and start its clock."""
        taken = file.execute("SELECT * FROM problems ORDER BY id LIMIT 1").fetchone()
        if taken is None:
            raise BusyError("deals are being solved; try again in a few seconds")
        problem = str(taken["content"])
        file.execute("DELETE FROM problems WHERE id = ?", (taken["id"],))
        file.execute(
            "INSERT INTO deals (chunk, number, problem, exact, given) VALUES (?, ?, ?, ?, ?)",
            (played["id"], number, problem, _answers(played, problem)["exact"], now),
        )
        return problem

    def _left(self, row: sqlite3.Row | Row, now: float) -> float:
        return float(row["given"] + self.rules.seconds - now)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Do everything in this block, or nothing.

        Raises BusyError if the file cannot be used now, DamagedError if it is not a contest's. It
        is then reopened, since somebody may have repaired it.
        """
        if not self._lock.acquire(timeout=_BUSY_SECONDS):
            raise BusyError("the contest's file is in use; try again in a second")
        try:
            file = self._file = self._file or self._open()
            file.execute("BEGIN IMMEDIATE")
            with file:  # commits, or rolls back
                yield file
        except sqlite3.OperationalError as error:
            raise BusyError(f"the contest's file cannot be written: {error}") from None
        except _DAMAGE as error:
            LOG.exception("the contest's file is damaged")
            self._close()
            raise DamagedError(f"the contest's file is damaged ({one_line(error)})") from None
        finally:
            self._lock.release()


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _player(file: sqlite3.Connection, token: str) -> int:
    row = file.execute("SELECT id FROM players WHERE token = ?", (_hashed(token),)).fetchone()
    if row is None:
        raise ForbiddenError("no player has this token")
    return int(row["id"])


def _chunk(file: sqlite3.Connection, token: str, chunk: int) -> sqlite3.Row:
    player = _player(file, token)
    row: sqlite3.Row | None = file.execute(
        "SELECT * FROM chunks WHERE id = ? AND player = ?", (chunk, player)
    ).fetchone()
    if row is None:
        raise MissingError("this player has no such chunk")
    return row


def _end(file: sqlite3.Connection, played: sqlite3.Row, number: int, tricks: int | None) -> None:
    file.execute(
        "UPDATE deals SET closed = 1, tricks = ? WHERE chunk = ? AND number = ?",
        (tricks, played["id"], number),
    )
    if number == played["length"]:
        file.execute("UPDATE chunks SET finished = 1 WHERE id = ?", (played["id"],))


def _answers(played: sqlite3.Row, problem: str) -> Any:
    content = json.loads(problem)
    strain = strain_of(played["strain"], content["deal"])
    return content["answers"][f"{played['hands']}{strain}"]


def _question(played: sqlite3.Row, number: int, problem: str, seconds: float) -> Row:
    content = json.loads(problem)
    return {
        "number": number,
        "length": played["length"],
        "deal": shown(content["deal"], played["hands"]),
        "strain": strain_of(played["strain"], content["deal"]),
        "leader": content["leader"],
        "seconds": round(seconds, 3),
    }


def _solution(played: sqlite3.Row, number: int, problem: str, tricks: int | None) -> Row:
    content, answers = json.loads(problem), _answers(played, problem)
    return {
        "number": number,
        "deal": content["deal"],
        "strain": strain_of(played["strain"], content["deal"]),
        "leader": content["leader"],
        "tricks": tricks,
        "exact": answers["exact"],
        "networks": answers["networks"],
    }


def _best(
    name: str, deals: int, chunks: int, begun: int, within_2: int, within_1: int, exact: int
) -> Row:
    scored = score_of(deals, within_2, within_1, exact)
    return {"name": name, "chunks": chunks, "begun": begun, **scored}
