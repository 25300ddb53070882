"""Estimates of a server per CPU second: 64 connections at once against one by one.

CPU seconds are those of the server's process alone, without the client's. ``/healthz`` shows the
cost of HTTP; ``--model`` takes any shipped model. ``--behind nginx`` puts ``--workers`` servers
behind nginx, with ``examples/serving/nginx.conf``. ``--behind ray`` makes
``examples/serving/on_ray.py`` keep as many. Both print no CPU seconds.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

from trickcast import random_deals

CONNECTIONS = 64
NGINX_PORT, RAY_PORT = 8800, 8810
EXAMPLES = Path("examples/serving")


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
        if size := re.search(rb"content-length: (\d+)", head, re.IGNORECASE):
            await reader.readexactly(int(size[1]))
        else:
            assert re.search(rb"transfer-encoding: chunked", head, re.IGNORECASE), head
            while count := int(await reader.readline(), 16):
                await reader.readexactly(count + 2)
            await reader.readexactly(2)
        seconds.append(time.perf_counter() - start)
    writer.close()
    return seconds


async def measure(
    name: str, port: int, process: int | None, requests: list[bytes], lines: int
) -> float:
    """Print the cost of requests, and return the requests per CPU second (0: not known)."""
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
    await ask(port, posts[:64])  # loads what waits for the first request
    health = [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"] * number
    await measure("/healthz, one by one", port, process, health, 1)
    alone = await measure(f"{model}, one by one", port, process, posts, 1)
    name = f"{model}, {CONNECTIONS} connections"
    together = await measure(name, port, process, posts, CONNECTIONS)
    if alone:
        print(f"together {together / alone:.2f} times as many requests a CPU second")


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def server(port: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the port and the process of a server."""
    with started([sys.executable, "-m", "trickcast", "serve", "--port", str(port)]) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().rpartition(b":")[2]), process.pid


@contextmanager
def behind_nginx(workers: int) -> Iterator[int]:
    """Yield the port of nginx in front of servers, set up as in the example."""
    site = (EXAMPLES / "nginx.conf").read_text().replace("listen 80;", f"listen {NGINX_PORT};")
    others = re.findall(r"server (127\.0\.0\.1:(\d+));", site)
    for address, _ in others[workers:]:
        site = site.replace(f"server {address};", "")
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        for _, port in others[:workers]:
            stack.enter_context(server(int(port)))
        path = Path(folder, "nginx.conf")
        path.write_text(
            f"pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder};\n{site}\n}}\n"
        )
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        with started([program, "-c", str(path), "-g", "daemon off;"]):
            yield NGINX_PORT


@contextmanager
def on_ray(workers: int) -> Iterator[int]:
    """Yield the port of Ray Serve with ``workers`` servers."""
    program = [sys.executable, str(EXAMPLES / "on_ray.py"), str(RAY_PORT), str(workers)]
    with started(program):
        yield RAY_PORT


def wait_for(port: int, workers: int) -> None:
    """Wait until servers have loaded their models: twice ``workers`` successes in a row."""
    ready, end = 0, time.monotonic() + 180
    while ready < 2 * workers:
        if time.monotonic() > end:
            raise SystemExit(f"nothing answers at port {port} within three minutes")
        with suppress(OSError):
            with urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
                ready = ready + 1 if answer.status == 200 else 0
            continue
        ready = 0
        time.sleep(0.5)


def main(model: str, number: int, behind: str | None, workers: int) -> None:
    if behind is None:
        with server() as (port, process):
            wait_for(port, 1)
            asyncio.run(measure_all(model, number, port, process))
        return
    with {"nginx": behind_nginx, "ray": on_ray}[behind](workers) as port:
        wait_for(port, workers)
        asyncio.run(measure_all(model, number, port, None))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="accurate")
    parser.add_argument("--requests", type=int, default=960)
    parser.add_argument("--behind", choices=("nginx", "ray"))
    parser.add_argument("--workers", type=int, default=1, help="behind nginx or Ray: 1 or 2")
    told = parser.parse_args()
    main(told.model, told.requests, told.behind, told.workers)
