"""Run the server until it is told to stop; requests in progress are finished."""

import json
import logging
import math
import os
import signal
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import uvicorn

from ...solver import dds
from .api import application
from .connections import Connection
from .contest import Contest
from .guard import Limits, hostname
from .store import StoreError

_BACKLOG = 2048
_FILES = 40  # files that the server itself opens, with some to spare
_FILES_OF_A_PROCESS = 6  # two pipes, and those needed to start it
_MOST_FILES = 1 << 17


class ServeError(ValueError):
    """A server that cannot be started; the message says what to change."""


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format time, level, message, and the data of a request."""
        content: dict[str, Any] = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        for name in ("path", "status", "milliseconds", "request"):
            if hasattr(record, name):
                content[name] = getattr(record, name)
        if record.exc_info:
            content["error"] = self.formatException(record.exc_info)
        return json.dumps(content)


def serve(
    host: str,
    port: int,
    *,
    also: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    limits: Limits | None = None,
    solvers: int | None = None,
    contest: Path | None = None,
    json_logs: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM; the address goes to standard output once the server listens.

    ``also`` are host names to answer for besides ``host`` and this machine's own, and
    ``origins`` sites whose pages may send requests. Port 0 is any free one. ``contest`` is a file
    for a contest. Raises ServeError for an address that cannot be used, for an invalid host name
    or origin, if too few files may be open, and for a file that cannot hold a contest;
    ModuleNotFoundError for a contest without a solver.
    """
    if contest is not None:
        dds.folder()  # its deals are solved
    limits = limits or Limits()
    hosts, allowed = hosts_of(host, also), frozenset(map(_origin, origins))
    solvers = solvers or os.cpu_count() or 1
    backlog, connections = connections_of(_open_files(), solvers)
    try:
        held = None if contest is None else Contest(contest)
    except StoreError as error:
        raise ServeError(f"--contest {error}") from None
    listening = _listen(host, port)
    _log(json_logs)
    connection: Any = partial(
        Connection,
        head_seconds=limits.body_seconds,
        reading_seconds=limits.seconds,
        most=connections,
    )
    config = uvicorn.Config(
        application(hosts, limits, solvers, held, allowed),
        access_log=False,
        log_config=None,
        http=connection,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=math.ceil(limits.seconds),
        timeout_keep_alive=75,
        backlog=backlog,
    )
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}", flush=True)
    signal.signal(signal.SIGTERM, _stopped)  # uvicorn finishes what runs, then signals again
    uvicorn.Server(config).run(sockets=[listening])


def hosts_of(host: str, also: tuple[str, ...]) -> frozenset[str]:
    """Return the hosts to answer for, in the spelling of requests.

    Raises ServeError for an invalid host name.
    """
    return frozenset({host.lower(), "localhost", "127.0.0.1", "::1", *map(_allowed, also)})


def _allowed(name: str) -> str:
    """Return a host to answer for, without its port."""
    bare = "[" not in name and name.count(":") > 1  # an IPv6 address, which is in brackets in Host
    host = hostname(f"[{name}]" if bare else name)
    if host is None or set(name) & set("/?#@ "):
        expected = "expected one such as bridge.example.org, or *"
        raise ServeError(f"--allow-host {name!r} is not a host name ({expected})")
    return host


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
        # asyncio sets it for its own sockets; without it an answer waits 40 ms
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (socket.gaierror, UnicodeError):  # UnicodeError: it cannot be a name
        raise ServeError(f"--host {host!r} is not an address of this machine") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise ServeError(f"{host}:{port}: {reason} (choose another with --port)") from None


def connections_of(files: int, solvers: int) -> tuple[int, int]:
    """Return how many connections may wait and how many may be open, for so many files.

    The rest are for the processes, the contest, and connections accepted only to be refused:
    asyncio accepts all that wait at once, and does so again before it has closed the first of them.
    Raises ServeError if none are left.
    """
    own = _FILES + _FILES_OF_A_PROCESS * (solvers + 1)
    backlog = max(1, min(_BACKLOG, files // 16))
    connections = files - own - 4 * backlog
    if connections < 1:
        needed = 2 * own
        raise ServeError(
            f"only {files} files can be open at once (expected {needed}; see ulimit -n)"
        )
    return backlog, connections


def _origin(text: str) -> str:
    """Return an origin in the spelling of browsers. Raises ServeError for other text."""
    try:
        parts = urlsplit(text.lower())
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if text == "*":
        return text
    if not whole or f"{parts.scheme}://{parts.netloc}" != text.lower() or set(text) & set(" ;,@'"):
        expected = "expected one such as https://club.example.org, or *"
        raise ServeError(f"--allow-origin {text!r} is not an origin ({expected})")
    return text.lower()


def _open_files() -> int:
    """Raise this process's limit of open files to the maximum, and return it."""
    if sys.platform == "win32":
        return _MOST_FILES
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    infinite = most == resource.RLIM_INFINITY  # which macOS refuses as the limit in force
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_FILES if infinite else most, most))
    return _MOST_FILES if infinite else min(most, _MOST_FILES)


def _log(json_logs: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(JsonLines() if json_logs else plain)
    for name in ("trickcast.web", "uvicorn"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO if name == "trickcast.web" else logging.WARNING)


def _stopped(*_: object) -> NoReturn:
    raise SystemExit(0)
