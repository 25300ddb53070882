"""The routes of the server: questions under ``/v1/``, the page, and monitoring."""

import asyncio
import json
import re
from base64 import b64decode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from threading import Thread
from typing import Annotated, Any, Generic, TypeVar

import anyio.to_thread
from fastapi import Body, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, create_model
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from typing_extensions import TypedDict

from ...formats import FORMATS
from ...questions import QUESTIONS, question_of
from .bodies import QuestionRoute, faults, file_bodies
from .contest import Contest, add_contest
from .docs import add_docs
from .engine import AnswerParts, Engine
from .errors import PROBLEM, JobError, problem
from .events import PROBLEMS, events, in_time, problem_of
from .guard import Application, Guard, Limits, Receive, Scope, Send
from .metrics import Metrics
from .requests import question_in, requests_of, summary
from .sent import Sent

Answer = TypeVar("Answer")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_AGAIN = {"retry-after": "1"}
_PACKING = 4  # gzip level: nearly the size of 9 in a third of its time


class SkippedPlace(TypedDict):
    """Something in a file that is no deal."""

    place: str
    reason: str


class Results(BaseModel, Generic[Answer]):
    """An answer a deal or hand, in the order in which they were asked for.

    Of a file, what was passed over in it, and what was read leniently, where there is any: a
    hundred of each, and how many more there are.
    """

    results: list[Answer]
    skipped: list[SkippedPlace] | None = None
    notes: list[str] | None = None
    more_skipped: int | None = None
    more_notes: int | None = None


class Fault(BaseModel):
    """What is wrong with a key: where it is (RFC 6901), and what was expected."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """What is wrong, where, and what was expected, in words for people."""

    title: str
    status: int
    detail: str
    errors: list[Fault] | None = None


_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "model": Problem,
        "description": text,
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, text in {
        400: "the body cannot be read",
        403: "the request comes from a page of another site",
        408: "the request was not complete in time",
        413: "the request is too large",
        415: "the body has an unsupported type",
        421: "the request is for another host",
        422: "the question is not valid",
        503: "the server is busy, or the solver failed; Retry-After says when to try again",
    }.items()
}


def application(
    hosts: frozenset[str],
    limits: Limits,
    solvers: int | None = None,
    contest: Contest | None = None,
    origins: frozenset[str] = frozenset(),
) -> Application:
    """Return the server as an ASGI application that answers for ``hosts`` (``*``: for all).

    ``solvers`` is the number of solver processes (default: one per core). Pages of ``origins``
    may send requests, and may embed the page in a frame.
    """
    metrics = Metrics()
    engine = Engine(metrics, solvers=solvers, seconds=limits.seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = limits.running + 4
        Thread(target=engine.load, name="loading", daemon=True).start()
        await engine.start()
        filling = None if contest is None else asyncio.create_task(contest.fill(engine))
        yield
        await engine.close()  # first, so that no solver is started to replace one that ends now
        if filling is not None and contest is not None:
            filling.cancel()
            await asyncio.wait([filling])
            contest.close()

    app = FastAPI(
        title="trickcast",
        summary="How many tricks will these cards take?",
        version="1",
        strict_content_type=False,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.router.route_class = QuestionRoute
    _add_questions(app, engine, limits.seconds)
    add_contest(app, contest, _PROBLEMS)
    _add_errors(app, metrics)
    _add_watching(app, engine, metrics)
    add_docs(app)
    _add_page(app, contest=contest is not None)
    paths = frozenset(path for route in app.routes if (path := getattr(route, "path", None)))
    guarded = Guard(
        GZipMiddleware(_with_head(app), compresslevel=_PACKING),
        hosts=hosts,
        origins=origins,
        limits=limits,
        metrics=metrics,
        headers=_headers(origins),
        paths=paths,
    )
    if not origins:
        return guarded
    return CORSMiddleware(
        guarded,
        allow_origins=origins,
        allow_methods=("GET", "HEAD", "POST"),
        expose_headers=("retry-after", "trickcast-notes", "trickcast-skipped", "x-request-id"),
    )


def _with_head(app: Application) -> Application:
    """Answer HEAD wherever GET is answered: like GET, but the server sends no body."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await app(scope, receive, send)

    return answer


def _allowed(app: FastAPI, path: str) -> str:
    """Return the methods that a path accepts, over all its routes."""
    methods = {
        method
        for route in app.routes
        if isinstance(route, Route) and route.path_regex.match(path)
        for method in route.methods or ()
    }
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _add_questions(app: FastAPI, engine: Engine, seconds: float) -> None:
    for name in QUESTIONS:
        _add_question(app, name, engine, seconds)


def _add_question(app: FastAPI, name: str, engine: Engine, seconds: float) -> None:
    """Add a question, asked by a body or by the query string."""
    question = question_of(name)
    body, address = requests_of(name)

    async def answer(request: Request, asked: BaseModel) -> Response:
        deadline = asyncio.get_running_loop().time() + seconds
        stream = "text/event-stream" in request.headers.get("accept", "")
        sent = Sent.of(asked, getattr(request, "file", None), stream=stream)
        given = question_in(asked, name)
        parts = in_time(engine.ask(name, given, sent), deadline, seconds)
        if stream:
            return await events(parts)
        return await (_file(request, given, parts) if name == "convert" else _whole(parts))

    async def by_body(request: Request, asked: Annotated[body, Body()]) -> Response:  # type: ignore[valid-type]
        return await answer(request, asked)

    async def by_address(request: Request, asked: Annotated[address, Query()]) -> Response:  # type: ignore[valid-type]
        return await answer(request, asked)

    found: Any = question.answer.__annotations__["return"]  # type: ignore[attr-defined]
    if (of_board := getattr(question, "board_answer", None)) is not None:
        found |= of_board.__annotations__["return"]
    results = create_model(
        f"{name.title()}Results", __base__=Results[found], __doc__=Results.__doc__
    )
    for method, endpoint in (("POST", by_body), ("GET", by_address)):
        app.add_api_route(
            f"/v1/{name}",
            endpoint,
            methods=[method],
            response_model=results,
            responses=_responses(name),
            summary=summary(question),
            operation_id=f"{method.lower()}_{name}",
            openapi_extra=file_bodies(name, body.model_json_schema()) if method == "POST" else None,
        )


def _responses(name: str) -> dict[int | str, dict[str, Any]]:
    """Return the responses besides JSON, for the schema."""
    kinds = ["text/event-stream"]
    if name == "convert":
        kinds += ["text/plain", "application/octet-stream"]
    return {200: {"content": {kind: {"schema": {"type": "string"}} for kind in kinds}}} | _PROBLEMS


async def _whole(parts: AnswerParts) -> Response:
    """Answer with all results at once."""
    results: list[str] = []
    told: dict[str, Any] = {}
    async for kind, part in parts:
        if kind == "result":
            results.append(json.dumps(part))  # one at a time: a thousand would block others
        else:
            told[kind] = told[kind] + part if kind in told else part
    content = {"results": f"[{', '.join(results)}]"}
    content |= {name: json.dumps(entries) for name, entries in told.items()}
    body = ", ".join(f'"{name}": {text}' for name, text in content.items())
    return Response(f"{{{body}}}", media_type="application/json")


async def _file(request: Request, asked: Any, parts: AnswerParts) -> Response:
    """Answer with the file itself, or with JSON if requested."""
    if "application/json" in request.headers.get("accept", ""):
        return await _whole(parts)
    counts = {"skipped": 0, "notes": 0}
    async for kind, part in parts:
        if kind == "result":
            converted = part
        else:
            counts[kind.removeprefix("more_")] += part if isinstance(part, int) else len(part)
    form = FORMATS[asked.to]
    name = f"deals{form.suffixes[0]}"
    return Response(
        converted["content"] if "content" in converted else b64decode(converted["base64"]),
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            **{f"trickcast-{kind}": str(count) for kind, count in counts.items()},
        },
        media_type="text/plain" if form.text else "application/octet-stream",
    )


def _add_errors(app: FastAPI, metrics: Metrics) -> None:
    """Answer every error as a problem, in plain words."""

    async def answer(_: Request, error: Exception) -> Response:
        status, detail = problem_of(error)
        if isinstance(error, JobError):
            metrics.crashes.inc()
        keys: tuple[str, ...] = getattr(error, "keys", ())
        errors = [{"pointer": f"/{keys[0]}", "detail": detail}] if len(keys) == 1 else None
        return _problem(status, detail, _AGAIN if status in (429, 503) else None, errors)

    async def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = error.headers
        if error.status_code == 405:  # the error knows only one route of a path
            headers = {"allow": _allowed(app, request.url.path)}
        detail = str(error.detail)  # ours begin small, and JSON in them is not small
        return _problem(
            error.status_code, detail if detail[:1].islower() else detail.lower(), headers
        )

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        detail, errors = faults(error, request.url.path.removeprefix("/v1/"))
        return _problem(422, detail, errors=errors)

    for kind in PROBLEMS:
        app.add_exception_handler(kind, answer)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)


def _add_watching(app: FastAPI, engine: Engine, metrics: Metrics) -> None:
    @app.get("/healthz", summary="Whether the server runs.")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/readyz", summary="Whether the models are loaded.", responses={503: {}})
    async def readyz() -> Response:
        if engine.ready:
            return _json({"status": "ready"})
        return _problem(503, "the models are being loaded", _AGAIN)

    @app.get("/metrics", summary="Counts, for Prometheus.", response_class=PlainTextResponse)
    async def counts() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_page(app: FastAPI, *, contest: bool) -> None:
    """Serve the files of the page, which queries this server."""
    contents = {
        entry.name: (entry.read_bytes(), _TYPES[f".{entry.name.rpartition('.')[2]}"])
        for entry in _page().iterdir()
        if entry.is_file()
    }
    engine = json.dumps({"engine": "http", "contest": contest})
    contents["engine.json"] = (f"{engine}\n".encode(), "application/json")
    contents[""] = contents["index.html"]

    def add(name: str, content: bytes, kind: str) -> None:
        async def file() -> Response:
            return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

        app.add_api_route(f"/{name}", file, methods=["GET"], include_in_schema=False)

    for name, (content, kind) in contents.items():
        add(name, content, kind)


def _page() -> Any:
    return files("trickcast.web").joinpath("page")


def _headers(origins: frozenset[str]) -> dict[str, str]:
    """Return the headers of every answer; the policy is that of the page."""
    page = _page().joinpath("index.html").read_text("utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    framing = " ".join(sorted(origins)) or "'none'"
    return {
        "content-security-policy": f"{policy[1]}; frame-ancestors {framing}",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }


def _json(content: Any) -> Response:
    return Response(json.dumps(content), media_type="application/json")


def _problem(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: list[dict[str, str]] | None = None,
) -> Response:
    return Response(
        problem(status, detail, errors), status, dict(headers or {}), media_type=PROBLEM
    )
