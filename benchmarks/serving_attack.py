"""Attack a server in every way at once, and compare its speed before and after.

The attacks are silent connections, heads that come byte by byte, bodies that never end, readers
that never read, pages of other sites, requests that are abandoned, files that unpack to a lot,
solvers that are killed, and so many connections that no more files can be opened. Meanwhile one
visitor asks for estimates. Afterwards ``/healthz``, a solve and an estimate must be as fast as
before. All statuses must be documented ones, and no processes, files or memory may be left behind.
"""

import argparse
import asyncio
import gzip
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from statistics import median

from serving_load import get, post  # type: ignore[import-not-found]
from trickcast import random_deals

DOCUMENTED = {200, 400, 403, 404, 405, 408, 413, 415, 421, 422, 503}
FILES = 512  # open files allowed to the server
SLOWER = 1.5  # limit afterwards: other work on the machine makes it a poor clock
DEALS = [deal.pbn for deal in random_deals(40, seed=1)]
LONG = {"south": "KT752.A84.J63.92", "north": "balanced, hcp 15-17", "solve": 2000}
STATUSES: Counter[int | str] = Counter()


async def answer(port: int, request: bytes, wait: float = 90) -> int:
    """Send a request on a connection of its own, and return the status; 0 if there is none."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return 0
    try:
        writer.write(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        whole = await asyncio.wait_for(reader.read(), wait)
        return int(whole[9:12]) if whole.startswith(b"HTTP/1.1 ") else 0
    except (OSError, TimeoutError):
        return 0
    finally:
        writer.transport.abort()


async def silent(port: int) -> None:
    """Send nothing, or only a line's end, until the server gives up."""
    with suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(random.choice([b"", b"\r\n"]))
        await reader.read()
        writer.transport.abort()


async def slow(port: int) -> None:
    """Send a request byte by byte, or an endless body, and read nothing."""
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        request = post("/v1/estimate", {"deals": DEALS}) + b" " * 100
        for at in range(len(request)):
            writer.write(request[at : at + 1])
            await writer.drain()
            await asyncio.sleep(0.1)
        writer.transport.abort()


async def unread(port: int) -> None:
    """Ask for many long answers at once, and read none of them."""
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(post("/v1/estimate", {"deals": DEALS, "model": "fast"}) * 10)
        await asyncio.sleep(20)
        writer.transport.abort()


async def cross_site(port: int) -> None:
    """Send a request as a page of another site does."""
    request = get("/v1/simulate?seconds=50").replace(
        b"\r\n", b"\r\nSec-Fetch-Site: cross-site\r\n", 1
    )
    STATUSES[f"cross-site {await answer(port, request)}"] += 1


async def cancelled(port: int) -> None:
    """Ask for a lot, and disconnect."""
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(random.choice(["/v1/simulate", "/v1/leads"]), LONG))
        await asyncio.sleep(random.uniform(0.01, 2))
        writer.transport.abort()


async def unpacked(port: int) -> None:
    """Send few bytes that unpack to many."""
    lines = gzip.compress(f"{DEALS[0]}\n".encode() + b"N:\n" * 90_000)
    request = post("/v1/solve?from=text", lines, "Content-Type: text/plain\r\n")
    STATUSES[await answer(port, request)] += 1


async def wrong(port: int) -> None:
    """Send an invalid request, too long a head, or too large a body."""
    requests = [
        b"\x16\x03\x01 rubbish\r\n\r\n",
        get("/" + "x" * 70_000),
        post("/v1/solve", bytes(300_000)),
        post("/v1/solve", b"[" * 5000),
        get("/") * 100,
    ]
    STATUSES[await answer(port, random.choice(requests))] += 1


async def crowd(port: int) -> None:
    """Open more connections than the server can hold."""
    await asyncio.gather(*(silent(port) for _ in range(2 * FILES)))
    await asyncio.sleep(10)


async def visitor(port: int) -> None:
    """Ask as any visitor may."""
    paths = [("/v1/estimate", DEALS[:1]), ("/v1/solve", DEALS[:1]), ("/v1/par", DEALS[1:2])]
    path, deals = random.choice(paths)
    STATUSES[await answer(port, post(path, {"deals": deals}))] += 1
    await asyncio.sleep(0.2)


def solvers(server: int) -> list[int]:
    """Return the living processes of the server."""
    command = ["ps", "-ww", "-o", "pid=,stat=", "--ppid", str(server)]
    listed = subprocess.run(command, capture_output=True, text=True).stdout
    return [int(row.split()[0]) for row in listed.splitlines() if "Z" not in row]


async def killer(server: int) -> None:
    """Kill a process of the server, whether idle or not."""
    await asyncio.sleep(random.uniform(0.5, 4))
    with suppress(OSError, IndexError):
        os.kill(random.choice(solvers(server)), signal.SIGKILL)


async def measure(port: int) -> dict[str, float]:
    """Return the median times of single requests, in milliseconds."""
    asked = {
        "/healthz": [get("/healthz")] * 60,
        "an estimate": [post("/v1/estimate", {"deals": [deal]}) for deal in DEALS] * 2,
        "a solve": [post("/v1/solve", {"deals": [deal]}) for deal in DEALS],
    }
    found = {}
    for name, requests in asked.items():
        times = []
        for request in requests:
            start = time.perf_counter()
            status = await answer(port, request)
            times.append(1000 * (time.perf_counter() - start))
            assert status == 200, (name, status)
        found[name] = median(times)
    return found


def state(server: int) -> dict[str, int]:
    """Return what the server holds."""
    status = Path(f"/proc/{server}/status").read_text()
    resident = int(status.partition("VmRSS:")[2].split()[0]) // 1024
    return {
        "processes": len(solvers(server)),
        "open files": len(list(Path(f"/proc/{server}/fd").iterdir())),
        "MB": resident,
    }


async def attack(port: int, server: int, seconds: float) -> None:
    end = time.monotonic() + seconds

    async def again(what: Callable[[int], Awaitable[None]], given: int) -> None:
        while time.monotonic() < end:
            await what(given)
            await asyncio.sleep(0.01)

    attackers = [(silent, 60), (slow, 30), (unread, 4), (cross_site, 5), (cancelled, 12)]
    attackers += [(unpacked, 2), (wrong, 4), (crowd, 1), (visitor, 4)]
    asking = [again(what, port) for what, number in attackers for _ in range(number)]
    tasks = [asyncio.create_task(each) for each in [*asking, again(killer, server)]]
    _, left = await asyncio.wait(tasks, timeout=seconds + 5)
    for task in left:  # they wait for a connection, or an answer
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def main(minutes: float) -> int:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0", "--solvers", "2"]
    shell = f"ulimit -n {FILES}; exec {shlex.join(command)}"
    log = Path("build/serving_attack.log")
    log.parent.mkdir(exist_ok=True)
    with (
        log.open("w") as errors,
        subprocess.Popen(
            ["sh", "-c", shell], stdout=subprocess.PIPE, stderr=errors, text=True
        ) as served,
    ):
        try:
            assert served.stdout is not None
            port = int(served.stdout.readline().rpartition(":")[2])
            while await answer(port, get("/readyz")) != 200:
                await asyncio.sleep(0.1)
            await measure(port)
            before, held = await measure(port), state(served.pid)
            await attack(port, served.pid, 60 * minutes)
            await asyncio.sleep(25)  # by then slow and silent clients are disconnected
            await measure(port)
            after, left = await measure(port), state(served.pid)
        finally:
            served.terminate()
    text = log.read_text()
    print("statuses:", dict(STATUSES))
    print(f"log: {len(text):,} bytes, {text.count('Traceback')} tracebacks")
    for name, milliseconds in before.items():
        print(f"{name}: {milliseconds:.1f} ms before, {after[name]:.1f} ms after")
    print("held before:", held, "after:", left)
    bars = {
        "as fast as before": all(after[name] < SLOWER * before[name] for name in before),
        "documented statuses": {each for each in STATUSES if isinstance(each, int) and each}
        <= DOCUMENTED,
        "no page of another site was answered": STATUSES["cross-site 200"] == 0,
        "no traceback": "Traceback" not in text,
        "as many processes": left["processes"] == held["processes"],
        "no file left open": left["open files"] <= held["open files"] + 2,
        "memory": left["MB"] < held["MB"] + 100,
    }
    for bar, met in bars.items():
        print(f"{'met   ' if met else 'MISSED'}  {bar}")
    return not all(bars.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    sys.exit(asyncio.run(main(parser.parse_args().minutes)))
