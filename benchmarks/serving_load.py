"""Load a server with a thousand connections, most of them idle, and requests of all kinds.

First come the median of one-deal estimates on the idle server, and its capacity: the requests that
64 connections complete if each asks as soon as it is answered, and again a second after a 503. Then
requests are offered at half of the capacity and at twice, whatever becomes of them. A share of them
is malformed, or is abandoned. Then the same with one-deal estimates alone, at twice. At the end
every requirement is listed with whether it was met, and how late the client itself was: its delay
counts as the server's.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from trickcast import random_deals

CLOSED_LOOP = 64
ESTIMATE = "estimate"
REFUSED, BROKEN = 503, -1
RETRY_SECONDS = 1.0  # as Retry-After says
# What the server promises.
TIMES_IDLE = 20  # p99 of one-deal estimates at half capacity, in medians of the idle server
SECONDS = 60  # for an answer
REFUSED_SECONDS = 1.0  # p99 of refusals: immediate, for a program that shares its two cores
GROWTH = 0.1  # of peak memory, from the first half to the second, not counting the first minute


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request: how often it comes, and the statuses that it may have besides 503."""

    name: str
    weight: float
    statuses: tuple[int, ...]
    requests: list[bytes]
    hang_up: float | None = None
    """Seconds after which the client leaves; None if it waits for the answer."""


def post(path: str, content: object, headers: str = "") -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    kind = "" if isinstance(content, bytes) else "Content-Type: application/json\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}{headers}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def get(path: str, host: str = "127.0.0.1") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def kinds() -> list[Kind]:
    """Return the kinds of requests, with weights that sum to 100."""
    deals = [deal.pbn for deal in random_deals(500, seed=1)]
    hands = [str(deal.north) for deal in random_deals(100, seed=2)]
    pairs = [(str(deal.north), str(deal.south)) for deal in random_deals(100, seed=3)]
    known = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17"}
    making = known | {"contract": "4S", "by": "S", "making": True, "samples": 40, "solve": 20}
    stream = "Accept: text/event-stream\r\n"
    text = "Content-Type: text/plain\r\n"
    half = b"POST /v1/solve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{"
    ok, wrong = (200,), (422,)
    return [
        Kind(ESTIMATE, 62, ok, [post("/v1/estimate", {"deals": [deal]}) for deal in deals]),
        Kind(
            "estimate 10, fast",
            4,
            ok,
            [
                post("/v1/estimate", {"deals": deals[i : i + 10], "model": "fast"})
                for i in range(0, 500, 10)
            ],
        ),
        Kind("hand", 6, ok, [post("/v1/hand", {"hands": [hand]}) for hand in hands]),
        Kind("pair", 4, ok, [post("/v1/pair", {"north": [n], "south": [s]}) for n, s in pairs]),
        Kind("open", 3, ok, [post("/v1/open", {"hands": [hand]}) for hand in hands]),
        Kind("nearest", 1, ok, [post("/v1/nearest", {"hands": [hand]}) for hand in hands]),
        Kind("models, page", 4, ok, [get("/v1/models"), get("/"), get("/app.js"), get("/healthz")]),
        Kind("solve", 2, ok, [post("/v1/solve", {"deals": [deal]}) for deal in deals]),
        Kind("par", 1, ok, [post("/v1/par", {"deals": [deal]}) for deal in deals]),
        Kind(
            "simulate, stream",
            0.5,
            ok,
            [post("/v1/simulate", making | {"seed": seed}, stream) for seed in range(50)],
        ),
        Kind("file", 2, ok, [post("/v1/estimate", deal.encode(), text) for deal in deals]),
        Kind("convert", 2, ok, [post("/v1/convert?to=lin", deal.encode(), text) for deal in deals]),
        Kind("no JSON", 1, (400,), [post("/v1/solve", b"{"), post("/v1/pair", b"\xff\x00")]),
        Kind(
            "wrong question",
            3,
            wrong,
            [
                post("/v1/estimate", {"deals": ["N:AKQ"]}),
                post("/v1/estimate", {"deals": deals[:1], "modell": "fast"}),
                post("/v1/simulate", {"north": "balancd"}),
                post("/v1/estimate", b"rubbish", text),
            ],
        ),
        Kind("no such path", 1, (404,), [get("/v1/nope"), get("/../../etc/passwd")]),
        Kind("another host", 1, (421,), [get("/", "evil.example")]),
        Kind("no HTTP", 0.5, (400,), [b"\x16\x03\x01 rubbish\r\n\r\n"]),
        Kind("too large", 0.5, (413,), [post("/v1/solve", bytes(300_000))]),
        Kind("half, then gone", 0.5, (), [half], hang_up=0.5),
        Kind(
            "simulate, then gone",
            1,
            (),
            [post("/v1/simulate", known | {"seed": seed}, stream) for seed in range(50)],
            hang_up=1.0,
        ),
    ]


@dataclass(slots=True)
class Line:
    """A connection that is kept open."""

    port: int
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def open(self) -> None:
        if self.writer is None or self.writer.is_closing():
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.transport.abort()
            self.writer = None

    async def ask(self, request: bytes, hang_up: float | None) -> int:
        """Send a request and return its status, 0 if the client left; read the whole answer.

        A connection that the server closed while it was idle is opened again.
        """
        for last in (False, True):
            await self.open()
            assert self.reader is not None and self.writer is not None
            self.writer.write(request)
            try:
                if hang_up is not None:
                    await asyncio.sleep(hang_up)
                    self.close()
                    return 0
                return await self._answer(self.reader)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if last:
                    raise
        raise AssertionError

    async def _answer(self, reader: asyncio.StreamReader) -> int:
        head = await reader.readuntil(b"\r\n\r\n")
        if size := re.search(rb"content-length: (\d+)", head, re.IGNORECASE):
            await reader.readexactly(int(size[1]))
        elif b"chunked" in head:
            while count := int(await reader.readline(), 16):
                await reader.readexactly(count + 2)
            await reader.readexactly(2)
        else:
            await reader.read()
        if b"connection: close" in head.lower():
            self.close()
        return int(head.split(b" ", 2)[1])


@dataclass(slots=True)
class Tally:
    """The outcome of the requests of a phase."""

    kinds: list[Kind]
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    seconds: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    unsent: int = 0
    """Requests not sent for want of a free connection."""
    late: list[float] = field(default_factory=list)
    """Seconds by which the client was late in sending each request."""

    async def ask(self, line: Line, kind: Kind, rng: random.Random) -> int:
        start = time.perf_counter()
        try:
            status = await line.ask(rng.choice(kind.requests), kind.hang_up)
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            print(f"{kind.name}: {type(error).__name__}: {error}", file=sys.stderr)
            line.close()
            status = BROKEN
        self.statuses[kind.name, status] += 1
        self.seconds.setdefault((kind.name, status), []).append(time.perf_counter() - start)
        return status

    def estimates(self) -> list[float]:
        """Return the seconds of all one-deal estimates that were made."""
        return sorted(self.seconds.get((ESTIMATE, 200), []))

    def of(self, *, refused: bool) -> list[float]:
        """Return the seconds of all requests refused because of overload, or of all others."""
        parts = (
            times for (_, status), times in self.seconds.items() if (status == REFUSED) == refused
        )
        return sorted(second for times in parts for second in times)

    def undocumented(self) -> list[str]:
        allowed = {kind.name: {*kind.statuses, REFUSED, 0} for kind in self.kinds}
        return [
            f"{count} x {name}: {status}"
            for (name, status), count in self.statuses.items()
            if status not in allowed[name]
        ]

    def show(self, title: str, seconds: float) -> None:
        answered, refused = self.of(refused=False), self.of(refused=True)
        total = len(answered) + len(refused)
        print(
            f"{title}: {total:,} requests, {total / seconds:.1f} a second, "
            f"{len(refused):,} refused by 503, {self.unsent} without a free connection"
        )
        print(f"  answered: {spread(answered)}; refused: {spread(refused)}")
        print(f"  one-deal estimates: {spread(self.estimates())}")
        if self.late:
            print(f"  the client itself was late: {spread(sorted(self.late))}")
        print(f"  undocumented: {', '.join(self.undocumented()) or 'none'}", flush=True)


def spread(times: list[float]) -> str:
    if not times:
        return "none"
    median, high, most = (quantile(times, q) for q in (0.5, 0.99, 1))
    return f"median {median * 1000:.1f} ms, p99 {high * 1000:.0f} ms, most {most * 1000:.0f} ms"


def quantile(times: list[float], q: float) -> float:
    return times[min(len(times) - 1, int(q * len(times)))]


def memory(process: int) -> tuple[float, float]:
    """Return megabytes of the server, and of it with its processes, counting shared pages once."""
    threads = Path(f"/proc/{process}/task").glob("*/children")  # each thread may have started some
    children = [child for thread in threads for child in thread.read_text().split()]
    sizes = []
    for each in (str(process), *children):
        with suppress(OSError):  # it may have ended meanwhile
            rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
            proportional = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
            sizes.append(int(proportional[1]) / 1000 if proportional else 0.0)
    return sizes[0], sum(sizes)


async def watch(process: int, seen: list[tuple[float, float, float]]) -> None:
    start = time.monotonic()
    while True:
        seen.append((time.monotonic() - start, *memory(process)))
        await asyncio.sleep(5)


async def closed_loop(port: int, asked: list[Kind], seconds: float) -> float:
    """Return the requests a second of connections that ask as soon as they are answered.

    Refused requests are repeated, so that the scarcest resource (the solvers) sets the pace. By the
    second half of the time the load is steady.
    """
    first, second = Tally(asked), Tally(asked)
    half, end = time.monotonic() + seconds / 2, time.monotonic() + seconds

    async def ask_on(seed: int) -> None:
        rng, line = random.Random(seed), Line(port)
        while time.monotonic() < end:
            (kind,) = rng.choices(asked, [kind.weight for kind in asked])
            status = REFUSED
            while status == REFUSED and (now := time.monotonic()) < end:
                status = await (first if now < half else second).ask(line, kind, rng)
                if status == REFUSED:
                    await asyncio.sleep(RETRY_SECONDS)
        line.close()

    asking = asyncio.gather(*(ask_on(seed) for seed in range(CLOSED_LOOP)))
    await asyncio.sleep(seconds)
    done = len(second.of(refused=False))
    second.show(f"capacity, {CLOSED_LOOP} connections", seconds / 2)
    await asking
    return done / (seconds / 2)


async def offer(lines: deque[Line], asked: list[Kind], rate: float, seconds: float) -> Tally:
    """Send requests at random moments at a given rate, each on the line that was idle longest."""
    tally, rng = Tally(asked), random.Random(7)
    weights = [kind.weight for kind in asked]
    under_way: set[asyncio.Task[None]] = set()

    async def ask(line: Line, kind: Kind) -> None:
        await tally.ask(line, kind, rng)
        lines.append(line)

    moment = time.monotonic()
    end = moment + seconds
    while moment < end:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        tally.late.append(time.monotonic() - moment)
        if lines:
            (kind,) = rng.choices(asked, weights)
            task = asyncio.create_task(ask(lines.popleft(), kind))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        else:
            tally.unsent += 1
        moment += rng.expovariate(rate)
    await asyncio.gather(*under_way)
    return tally


@contextmanager
def server() -> Iterator[tuple[int, int]]:
    """Yield the port and the process of a server."""
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().rpartition(b":")[2]), process.pid
        finally:
            process.terminate()


async def idle_median(port: int, asked: list[Kind]) -> float:
    """Return the median seconds of one-deal estimates, once everything is loaded."""
    line, idle = Line(port), Tally(asked)
    while await line.ask(get("/readyz"), None) != 200:
        await asyncio.sleep(0.2)
    await asyncio.gather(*(Line(port).ask(kind.requests[0], None) for kind in asked[:11]))
    for seed in range(200):
        await idle.ask(line, asked[0], random.Random(seed))
    line.close()
    idle.show("idle, one by one", sum(idle.of(refused=False)))
    return quantile(idle.estimates(), 0.5)


def growth(seen: list[tuple[float, float, float]], column: int, name: str) -> float:
    """Print memory after the first minute, and return by what share its peak grew in that time.

    The peaks of the two halves are compared, because solvers begin small, grow, and end.
    """
    sizes = [row[column] for row in seen if row[0] >= min(60.0, seen[-1][0] / 2)]
    half = max(1, len(sizes) // 2)
    before, after = max(sizes[:half]), max(sizes[-half:])
    print(
        f"  memory, {name}: {min(sizes):.0f} to {max(sizes):.0f} MB after the first minute, "
        f"at most {before:.0f} in its first half and {after:.0f} in its second"
    )
    return after / before - 1


async def main(minutes: float, connections: int, probe: float, overload: float) -> int:
    asked = kinds()
    with server() as (port, process):
        median = await idle_median(port, asked)
        capacity = await closed_loop(port, asked, probe)
        lines = deque(Line(port) for _ in range(connections))
        for line in lines:
            await line.open()
        seen: list[tuple[float, float, float]] = []
        watching = asyncio.create_task(watch(process, seen))
        half = await offer(lines, asked, capacity / 2, 60 * minutes)
        watching.cancel()
        half.show(f"half of the capacity, {connections:,} connections", 60 * minutes)
        grown = [growth(seen, 1, "server"), growth(seen, 2, "with its processes")]
        twice = await offer(lines, asked, 2 * capacity, overload)
        twice.show("twice the capacity", overload)
        rate = await closed_loop(port, asked[:1], probe / 2)
        estimates = await offer(lines, asked[:1], 2 * rate, overload)
        estimates.show("twice the capacity, one-deal estimates alone", overload)
    phases = (half, twice, estimates)
    ratio = quantile(half.estimates(), 0.99) / median
    answered = max(phase.of(refused=False)[-1] for phase in phases)
    refused = sorted(second for phase in phases for second in phase.of(refused=True))
    waited = quantile(refused, 0.99) if refused else 0.0
    bars = {
        "no status but the documented": not any(phase.undocumented() for phase in phases),
        f"no request is refused at half of the capacity ({len(half.of(refused=True))})": (
            not half.of(refused=True)
        ),
        f"memory is flat after the first minute: {grown[0]:+.1%}, with its processes "
        f"{grown[1]:+.1%} (at most {GROWTH:.0%})": max(grown) <= GROWTH,
        f"p99 of one-deal estimates at half: {ratio:.1f} medians of an idle server "
        f"(at most {TIMES_IDLE})": ratio <= TIMES_IDLE,
        f"refused at once: p99 {waited:.2f} s (at most {REFUSED_SECONDS:g})": (
            waited <= REFUSED_SECONDS
        ),
        f"answered in time: {answered:.1f} s at most (of {SECONDS})": answered <= SECONDS,
    }
    for bar, met in bars.items():
        print(f"{'met   ' if met else 'MISSED'}  {bar}")
    return not all(bars.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="at half of the capacity")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--probe", type=float, default=60, help="seconds to find the capacity")
    parser.add_argument("--overload", type=float, default=60, help="seconds at twice of it")
    told = parser.parse_args()
    sys.exit(asyncio.run(main(told.minutes, told.connections, told.probe, told.overload)))
