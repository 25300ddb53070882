"""The command that answers over HTTP, and serves the page."""

from pathlib import Path
from typing import Annotated

from .command import Option
from .inputs import CommandError


def serve(
    host: Annotated[
        str, Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")
    ] = 8000,
    allow_host: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Another host name to accept, or * for all. Repeatable."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        Option(
            metavar="ORIGIN",
            help="A site whose pages may ask, and frame the page; *: all. Repeatable.",
        ),
    ] = None,
    solvers: Annotated[
        int | None, Option(min=1, help="Solver processes (default: one per core).")
    ] = None,
    running: Annotated[
        int, Option(min=1, help="Most questions answered at the same time; more are refused.")
    ] = 128,
    size: Annotated[int, Option(min=1, help="Most bytes of a request.")] = 262_144,
    seconds: Annotated[float, Option(min=0.1, help="Most seconds for an answer.")] = 60,
    contest: Annotated[
        Path | None,
        Option(metavar="FILE", help="Hold the page's contest, and store it in this file."),
    ] = None,
    json_logs: Annotated[bool, Option("--json-logs", help="Write the logs as JSON.")] = False,
) -> None:
    """Serve the page, and answer questions over HTTP.

    Example: trickcast serve --port 8080
    """
    try:
        from ..web.serve.guard import Limits
        from ..web.serve.server import ServeError
        from ..web.serve.server import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trickcast"):
            raise
        raise CommandError(
            f"serving needs {error.name}; install it with: pip install 'trickcast[web]'"
        ) from None
    limits = Limits(running=running, size=size, seconds=seconds)
    try:
        run(
            host,
            port,
            also=tuple(allow_host or ()),
            origins=tuple(allow_origin or ()),
            limits=limits,
            solvers=solvers,
            contest=contest,
            json_logs=json_logs,
        )
    except ServeError as error:
        raise CommandError(str(error)) from None
