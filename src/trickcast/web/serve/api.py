"""The addresses of the server: questions under ``/v1/``, the page, and what watches it."""

import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from threading import Thread
from typing import Annotated, Any, Generic, TypeVar

import anyio.to_thread
from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ...answers.deals import EstimatedDeal, ParAnswer, SolvedDeal
from ...answers.hands import HandAnswer, NearestAnswer, OpeningAnswer, PairAnswer
from ...answers.networks import ModelAnswer
from ...cards import DealError
from ...solver.apart import SolverCrash
from .engine import BusyError, Engine, RefusedError
from .guard import Application, Guard, Limits
from .metrics import Metrics
from .requests import (
    EstimateQuestion,
    HandQuestion,
    ModelsQuestion,
    NearestQuestion,
    OpenQuestion,
    PairQuestion,
    ParQuestion,
    SolveQuestion,
)

LOG = logging.getLogger(__name__)
Answer = TypeVar("Answer")
Asked = TypeVar("Asked", bound=BaseModel)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_ERRORS_SHOWN = 3
_AGAIN = {"retry-after": "1"}


class Results(BaseModel, Generic[Answer]):
    """An answer a deal or hand, in the order in which they were asked for."""

    results: list[Answer]


class Problem(BaseModel):
    """What is wrong, where, and what was expected."""

    detail: str


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "not JSON",
        403: "a page of another site asks",
        408: "the request did not come in time",
        413: "the request is too large",
        421: "another host was asked for",
        422: "the question cannot be answered as it is",
        503: "too much to do, or the solver failed: Retry-After says when to ask again",
    }.items()
}


def application(hosts: frozenset[str], limits: Limits, solvers: int | None = None) -> Application:
    """Return the server as an ASGI application that answers for ``hosts`` (``*``: for all).

    ``solvers`` is the number of processes that solve (default: one a core).
    """
    metrics = Metrics()
    engine = Engine(metrics, solvers=solvers, seconds=limits.seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = limits.running + 4
        Thread(target=engine.load, name="loading", daemon=True).start()
        yield
        engine.close()

    app = FastAPI(
        title="trickcast",
        summary="How many tricks will these cards take?",
        version="1",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    _add_questions(app, engine)
    _add_errors(app, metrics)
    _add_watching(app, engine, metrics)
    _add_page(app)
    paths = frozenset(path for route in app.routes if (path := getattr(route, "path", None)))
    return Guard(app, hosts=hosts, limits=limits, metrics=metrics, headers=_headers(), paths=paths)


def _add_questions(app: FastAPI, engine: Engine) -> None:
    _add(app, "estimate", EstimateQuestion, engine.estimate, EstimatedDeal)
    _add(app, "solve", SolveQuestion, engine.solve, SolvedDeal)
    _add(app, "par", ParQuestion, engine.par, ParAnswer)
    _add(app, "hand", HandQuestion, engine.hand, HandAnswer)
    _add(app, "pair", PairQuestion, engine.pair, PairAnswer)
    _add(app, "open", OpenQuestion, engine.open, OpeningAnswer)
    _add(app, "nearest", NearestQuestion, engine.nearest, NearestAnswer)
    _add(app, "models", ModelsQuestion, lambda _: engine.models(), ModelAnswer)


def _add(
    app: FastAPI,
    name: str,
    question: type[Asked],
    ask: Callable[[Asked], list[Any]],
    answer: Any,
) -> None:
    """Add a question, asked by a body of JSON or by what follows ``?`` in the address."""

    def post(asked: question) -> Response:  # type: ignore[valid-type]  # FastAPI reads the value
        return _json({"results": ask(asked)})

    def get(asked: Annotated[question, Query()]) -> Response:  # type: ignore[valid-type]
        return _json({"results": ask(asked)})

    for method, endpoint in (("POST", post), ("GET", get)):
        app.add_api_route(
            f"/v1/{name}",
            endpoint,
            methods=[method],
            response_model=Results[answer],
            responses=_PROBLEMS,
            summary=question.__doc__,
            operation_id=f"{method.lower()}_{name}",
        )


def _add_errors(app: FastAPI, metrics: Metrics) -> None:
    """Answer every error with ``{"detail": …}``, in plain words."""

    async def refused(_: Request, error: Exception) -> Response:
        return _problem(422, str(error))

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return _problem(422, _validation_text(error))

    async def busy(_: Request, error: Exception) -> Response:
        return _problem(503, str(error), _AGAIN)

    async def crashed(_: Request, error: Exception) -> Response:
        metrics.crashes.inc()
        LOG.error("the solver failed: %s", error)
        return _problem(503, f"the solver failed: {error}", _AGAIN)

    async def other(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _problem(error.status_code, str(error.detail).lower(), error.headers)

    app.add_exception_handler(DealError, refused)
    app.add_exception_handler(RefusedError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(BusyError, busy)
    app.add_exception_handler(SolverCrash, crashed)
    app.add_exception_handler(HTTPException, other)


def _validation_text(error: RequestValidationError) -> str:
    """Return a line for each of the first errors: where it is, and what was expected."""
    lines = []
    for fault in error.errors()[:_ERRORS_SHOWN]:
        place = ".".join(map(str, fault["loc"][1:])) or "the request"
        lines.append(f"{place}: {fault['msg'][:1].lower()}{fault['msg'][1:]}")
    return "\n".join(lines)


def _add_watching(app: FastAPI, engine: Engine, metrics: Metrics) -> None:
    @app.get("/healthz", summary="Whether the server runs.")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/readyz", summary="Whether the models are loaded.", responses={503: {}})
    async def readyz() -> Response:
        if engine.ready:
            return _json({"status": "ready"})
        return _problem(503, "the models are being loaded", _AGAIN)

    @app.get("/metrics", summary="Counts, for Prometheus.")
    async def counts() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return Response(_docs(app.openapi()), media_type=_TYPES[".html"])


def _add_page(app: FastAPI) -> None:
    """Serve the files of the page, which asks this server."""
    contents = {
        entry.name: (entry.read_bytes(), _TYPES[f".{entry.name.rpartition('.')[2]}"])
        for entry in _page().iterdir()
        if entry.is_file()
    }
    contents["engine.json"] = (b'{"engine": "http"}\n', "application/json")
    contents[""] = contents["index.html"]

    def add(name: str, content: bytes, kind: str) -> None:
        async def file() -> Response:
            return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

        app.add_api_route(f"/{name}", file, methods=["GET", "HEAD"], include_in_schema=False)

    for name, (content, kind) in contents.items():
        add(name, content, kind)


def _page() -> Any:
    return files("trickcast.web").joinpath("page")


def _headers() -> dict[str, str]:
    """Return the headers of every answer; the policy is that of the page."""
    page = _page().joinpath("index.html").read_text("utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    return {
        "content-security-policy": f"{policy[1]}; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }


def _docs(schema: dict[str, Any]) -> str:
    """List the addresses as a page of plain HTML, which needs nothing from elsewhere."""
    rows = "".join(
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td>"
        f"<td>{escape(operation.get('summary', ''))}</td></tr>"
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    )
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>trickcast: the API</title>"
        "<link rel='stylesheet' href='./style.css'><main><h1>The API</h1>"
        "<p>The whole of it, with keys and types: <a href='./openapi.json'>openapi.json</a>.</p>"
        f"<table><thead><tr><th>method<th>address<th>what</thead>{rows}</table></main></html>"
    )


def _json(content: Any) -> Response:
    return Response(json.dumps(content), media_type="application/json")


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    body = json.dumps({"detail": detail})
    return Response(body, status, dict(headers or {}), media_type="application/json")
