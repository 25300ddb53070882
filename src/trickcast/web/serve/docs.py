"""The API documentation: plain HTML made from the schema, with a form to try each question.

Forms use GET. Browsers also send empty fields, which are removed on the way.
"""

from html import escape
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from ...questions import QUESTIONS
from .errors import MissingError

_POLICY = (
    "default-src 'none'; style-src 'self'; font-src 'self' data:; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_SEE_OTHER = 303
Schema = dict[str, Any]


def add_docs(app: FastAPI) -> None:
    """Add the documentation page, and the redirect from its forms to the questions."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(_page(app.openapi()), headers={"content-security-policy": _POLICY})

    @app.get("/docs/{name}", include_in_schema=False)
    async def ask(name: str, request: Request) -> Response:
        if name not in QUESTIONS:
            raise MissingError("not found")
        said = urlencode([(key, text) for key, text in request.query_params.multi_items() if text])
        return RedirectResponse(f"../v1/{name}?{said}", _SEE_OTHER)


def _page(schema: Schema) -> str:
    parts = "".join(_part(path, operations) for path, operations in schema["paths"].items())
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<title>trickcast: the API</title><link rel='stylesheet' href='./style.css'>"
        "<h1>The API</h1><p>Keys and types for programs: "
        f"<a href='./openapi.json'>openapi.json</a>.</p>{parts}</html>"
    )


def _part(path: str, operations: Schema) -> str:
    """Return the documentation of a route, with a form if it is a question."""
    summary = next(iter(operations.values())).get("summary", "")
    methods = ", ".join(method.upper() for method in operations)
    head = f"<code>{methods} {escape(path)}</code> {escape(summary)}"
    name = path.removeprefix("/v1/")
    if name not in QUESTIONS:
        return f"<p>{head}</p>"
    fields = "".join(map(_field, operations["get"].get("parameters", ())))
    form = f"<form action='./docs/{name}'>{fields}<p><button>Ask</button></p></form>"
    return f"<details><summary>{head}</summary>{form}</details>"


def _field(key: Schema) -> str:
    """Return a form field for a key; a required one is filled with an example."""
    kind = key["schema"]
    name, example = escape(key["name"]), next(iter(kind.get("examples", ())), "")
    if isinstance(example, list):  # a field holds only one of them
        example = next(iter(example), "")
    example = escape(str(example), quote=True)
    needed = " required" if key.get("required") else ""
    if "enum" in kind:
        options = "".join(f"<option>{escape(choice)}" for choice in ("", *kind["enum"]))
        field = f"<select name='{name}'{needed}>{options}</select>"
    elif kind.get("type") == "boolean":
        field = f"<input type='checkbox' name='{name}' value='true'>"
    else:
        shown = f"value='{example}'" if needed else f"placeholder='{example}'"
        field = f"<input name='{name}' {shown}{needed}>"
    said = f"<code>{name}</code> {escape(key.get('description', ''))}"
    return f"<p><label>{said}<br>{field}</label></p>"
