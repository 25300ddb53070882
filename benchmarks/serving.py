"""Estimates a CPU second of a server: 64 connections at once against one by one.

CPU seconds are those of the server's process alone, without the client's. ``/healthz`` costs what
HTTP costs; ``--model`` takes any that ships. ``--port`` asks what listens there already, a proxy or
several servers: then no CPU seconds are told.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time

from trickcast import random_deals

CONNECTIONS = 64


def cpu_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat") as stat:  # noqa: PTH123
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(port: int, requests: list[bytes]) -> list[float]:
    """Send requests one after another on one connection, and return the seconds of each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seconds = []
    for request in requests:
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        size = re.search(rb"content-length: (\d+)", head)
        assert size is not None
        await reader.readexactly(int(size[1]))
        seconds.append(time.perf_counter() - start)
    writer.close()
    return seconds


async def measure(
    name: str, port: int, process: int | None, requests: list[bytes], lines: int
) -> float:
    """Print what requests cost, and return how many a CPU second are answered (0: not known)."""
    before = 0.0 if process is None else cpu_seconds(process)
    start = time.perf_counter()
    parts = await asyncio.gather(*(ask(port, requests[i::lines]) for i in range(lines)))
    wall = time.perf_counter() - start
    times = sorted(second for part in parts for second in part)
    rate = 0.0 if process is None else len(times) / (cpu_seconds(process) - before)
    shown = f"{rate:>8,.0f} requests a CPU second, " if rate else ""
    print(
        f"{name:<28} {shown}{len(times) / wall:>6,.0f} a second, median "
        f"{times[len(times) // 2] * 1000:.1f} ms, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms"
    )
    return rate


async def measure_all(model: str, number: int, port: int, process: int | None) -> None:
    posts = []
    for deal in random_deals(number, seed=1):
        body = json.dumps({"deals": [deal.pbn], "model": model}).encode()
        head = "POST /v1/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        posts.append(head.encode() + body)
    await ask(port, posts[:64])  # what is loaded at the first request
    health = [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * number
    await measure("/healthz, one by one", port, process, health, 1)
    alone = await measure(f"{model}, one by one", port, process, posts, 1)
    name = f"{model}, {CONNECTIONS} connections"
    together = await measure(name, port, process, posts, CONNECTIONS)
    if alone:
        print(f"together {together / alone:.2f} times as many requests a CPU second")


async def main(model: str, number: int, port: int | None) -> None:
    if port is not None:
        await measure_all(model, number, port, None)
        return
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rpartition(b":")[2])
            await measure_all(model, number, port, server.pid)
        finally:
            server.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="accurate")
    parser.add_argument("--requests", type=int, default=960)
    parser.add_argument("--port", type=int)
    told = parser.parse_args()
    asyncio.run(main(told.model, told.requests, told.port))
