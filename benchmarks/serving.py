"""Estimates a CPU second of a server: 64 connections at once against one by one.

CPU seconds are those of the server's process alone, without the client's. ``/healthz`` costs what
HTTP costs; ``--model`` takes any that ships.
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
REQUESTS = 960


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


async def measure(name: str, port: int, process: int, requests: list[bytes], lines: int) -> float:
    before, start = cpu_seconds(process), time.perf_counter()
    parts = await asyncio.gather(*(ask(port, requests[i::lines]) for i in range(lines)))
    wall, cpu = time.perf_counter() - start, cpu_seconds(process) - before
    times = sorted(second for part in parts for second in part)
    print(
        f"{name:<28} {len(times) / cpu:>8,.0f} requests a CPU second, {len(times) / wall:>6,.0f} a "
        f"second, median {times[len(times) // 2] * 1000:.1f} ms, p99 "
        f"{times[len(times) * 99 // 100] * 1000:.1f} ms"
    )
    return len(times) / cpu


async def main(model: str) -> None:
    command = [sys.executable, "-m", "trickcast", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().rpartition(b":")[2])
            posts = []
            for deal in random_deals(REQUESTS, seed=1):
                body = json.dumps({"deals": [deal.pbn], "model": model}).encode()
                head = "POST /v1/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                posts.append(head.encode() + body)
            await ask(port, posts[:64])  # what is loaded at the first request
            health = [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * REQUESTS
            await measure("/healthz, one by one", port, server.pid, health, 1)
            alone = await measure(f"{model}, one by one", port, server.pid, posts, 1)
            name = f"{model}, {CONNECTIONS} connections"
            together = await measure(name, port, server.pid, posts, CONNECTIONS)
            print(f"together {together / alone:.2f} times as many requests a CPU second")
        finally:
            server.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="accurate")
    asyncio.run(main(parser.parse_args().model))
