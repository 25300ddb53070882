"""The input of a request: JSON, the query string, or a file of deals.

A file is either the whole body, with the content type of its format or any type other than JSON,
or a part of a form (``multipart/form-data``). Other keys are then in the query string or in other
parts. JSON that curl and browsers send with a content type of their own is read too. All are
merged before FastAPI reads them as a JSON body.
"""

import json
import re
from collections.abc import Callable, Coroutine, Iterable
from difflib import get_close_matches
from typing import Any, NamedTuple

import python_multipart  # noqa: F401  # what Starlette reads forms with, only when one comes
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from ...formats import FORMATS
from ...questions import QUESTIONS
from .errors import RefusedError
from .requests import filed, keys_of, lists_of, texts_of

_FORM, _JSON = "multipart/form-data", "application/json"
_UNSAID = ("application/x-www-form-urlencoded", "text/plain")
"""What curl and browsers send when they are told no content type."""
_OBJECT = re.compile(rb'\s*\{\s*(?:"\w+"\s*:|\}\s*$)')
_OF_FILES = {"deal", "boards", "results"}
"""Keys of objects in files of deals, besides ``deals``."""
_FILE = "application/octet-stream"
"""Any type other than JSON is taken as a file; the schema names the one that generators know."""
_ID = {
    "name": "x-request-id",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "An id for the log, which the answer has too (default: any).",
}
"""An optional header. Without one, openapi-python-client 0.29 forgets an import
in the code for a question with several bodies."""
_ERRORS_SHOWN = 3
_EXPECTED = {
    "missing": "missing",
    "string_type": "expected text",
    "string_unicode": "half of a surrogate pair (expected text in Unicode)",
    "list_type": "expected a list",
    **dict.fromkeys(("bool_type", "bool_parsing"), "expected true or false"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "expected a number"),
    **dict.fromkeys(
        ("int_type", "int_parsing", "int_parsing_size", "int_from_float"),
        "expected a whole number",
    ),
}
"""Type of an error of pydantic → what is wrong."""
_FIELDS = 50  # of a form
_NAME = 60  # characters of a name in messages
_EXACT = 2**53  # a float below it has every whole number
_DIGITS = 400  # of a whole number: more than a float can hold


class File(NamedTuple):
    """An uploaded file."""

    name: str
    content: bytes


class Put(Request):
    """A request with all its input merged as JSON."""

    file: File | None = None
    """The file of its deals."""

    def put(self, values: dict[str, Any], file: File | None) -> None:
        """Use these values as the body."""
        self._json, self.file = values, file


class QuestionRoute(APIRoute):
    """A route whose requests are merged before they are read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of a request."""
        usual = super().get_route_handler()
        name = self.path.removeprefix("/v1/")

        async def handle(request: Request) -> Response:
            if request.method != "POST":
                _plain(request.query_params.multi_items(), name)  # refuses repeated keys
                return await usual(request)
            values, file = await _read(request, name)
            headers = [(key, value) for key, value in request.scope["headers"]
                       if key != b"content-type"]  # fmt: skip
            headers.append((b"content-type", _JSON.encode()))
            put = Put({**request.scope, "headers": headers}, request.receive)
            put._body = b"{}"  # already read
            put.put(values, file)
            return await usual(put)

        return handle


async def _read(request: Request, name: str) -> tuple[dict[str, Any], File | None]:
    """Return the keys of a request, and the file of its deals if there is one.

    Raises HTTPException (400, 415) for unreadable input, RefusedError for another question.
    """
    values = _plain(request.query_params.multi_items(), name)
    file, key = None, filed(name)
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        told = f"content-encoding {packed[:_NAME]} is not supported (expected none)"
        raise HTTPException(415, told)
    if kind == _JSON:
        _add(values, _object(await request.body()))
    elif kind in _UNSAID and (asked := _unsaid(await request.body(), name)) is not None:
        _add(values, asked)
    elif key is None:
        raise HTTPException(
            415, f"{kind[:_NAME]} is not supported (send JSON with content-type: {_JSON})"
        )
    elif kind == _FORM:
        file, fields = await _form(request)
        _add(values, _plain(fields, name))
    else:
        file = File("the body", await request.body())
        named = kind.rpartition("/")[2].removeprefix("x-")
        if named in FORMATS:
            values.setdefault("from", named)
    if file is not None and key is not None:
        if key in values:
            raise RefusedError(f"{key} and a file are given (expected one of them)")
        values[key] = [""] if key in lists_of(name) else "-"  # for the file
    return values, file


def file_bodies(name: str, form: dict[str, Any]) -> dict[str, Any]:
    """Return the bodies besides JSON for OpenAPI; ``form`` is the schema of JSON."""
    if (instead := filed(name)) is None:
        return {}
    file = {"type": "string", "format": "binary"}
    properties = {key: value for key, value in form["properties"].items() if key != instead}
    required = [key for key in form["required"] if key != instead]
    parts = {
        "type": "object",
        "title": f"{name.title()}Form",
        "properties": {"file": file} | properties,
        "required": ["file", *required],
        "additionalProperties": False,
    }
    content = {_FILE: {"schema": file}, _FORM: {"schema": parts}}
    return {"requestBody": {"content": content}, "parameters": [_ID]}


def faults(error: RequestValidationError, name: str) -> tuple[str, list[dict[str, str]]]:
    """Return a line for each of the first faults, and all with pointers: where, and what.

    ``name`` is that of the question, of whose keys near ones are suggested to the first faults.
    """
    found: list[dict[str, str]] = []
    for fault in error.errors():
        text = _plainly(fault, name if len(found) < _ERRORS_SHOWN else "")
        place = [str(part)[:_NAME] for part in fault["loc"][1:]]
        pointer = "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in place)
        found.append({"pointer": pointer, "detail": text})
    lines = [
        f"{fault['pointer'][1:].replace('/', '.')}: {fault['detail']}"
        if fault["pointer"]
        else fault["detail"]
        for fault in found[:_ERRORS_SHOWN]
    ]
    return "\n".join(lines), found


def _plainly(fault: dict[str, Any], name: str) -> str:
    """Return what pydantic finds wrong, in words for people."""
    kind, facts = fault["type"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        known = keys_of(name) if name in QUESTIONS else ()
        near = get_close_matches(str(fault["loc"][-1])[:_NAME].lower(), known, 1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
        return f"unknown ({hint})" if known else "unknown"
    if kind == "too_short":
        count = facts["actual_length"]
        return f"{f'{count} given' if count else 'empty'} (expected at least {facts['min_length']})"
    if kind == "too_long":
        return f"too many (expected at most {facts['max_length']:,})"
    if kind == "string_too_long":
        return f"too long (expected at most {facts['max_length']:,} characters)"
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    text = fault["msg"].removeprefix("Value error, ")
    text = f"{text[:1].lower()}{text[1:]}"
    should = "input should be "
    return f"expected {text.removeprefix(should)}" if text.startswith(should) else text


def _object(body: bytes) -> dict[str, Any]:
    try:
        content = _loads(body)
    except RefusedError:  # also a ValueError
        raise
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(content, dict):
        raise RefusedError("the body is not a JSON object")
    return content


def _unsaid(body: bytes, name: str) -> dict[str, Any] | None:
    """Return the JSON question in a body of no stated type; None where it is anything else.

    A file of deals may be JSON too: its objects have other keys, or lists in place of texts.
    """
    if name not in QUESTIONS or _OBJECT.match(body) is None:
        return None
    key, of_file = filed(name), b'"deal' in body
    try:
        content = _object(body)
    except HTTPException:
        if key is not None and of_file:
            return None  # more than one line
        raise
    entries = content.get("deals")
    objects = isinstance(entries, list) and any(isinstance(entry, dict) for entry in entries)
    if key is None or isinstance(content.get(key), str):
        return content
    return None if objects or _OF_FILES & content.keys() else content


def _loads(text: str | bytes) -> Any:
    """Read JSON. Raises RefusedError for a repeated key, ValueError for other text."""
    return json.loads(text, object_pairs_hook=_once, parse_int=_whole, parse_float=_number)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        _add(values, {name: value})
    return values


def _whole(digits: str) -> int:
    """Read a whole number; for a very long one only its size matters, which no key accepts."""
    return int(digits[:_DIGITS])


def _number(digits: str) -> float:
    """Read a number; one without a fraction is a whole number, as for JSON Schema."""
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def _add(values: dict[str, Any], more: dict[str, Any]) -> None:
    """Merge keys into others. Raises RefusedError for one that is already there."""
    for name, value in more.items():
        if name in values:
            raise RefusedError(f"{name[:_NAME]} is given twice")
        values[name] = value


async def _form(request: Request) -> tuple[File, list[tuple[str, str]]]:
    """Return the file of a form, and its other parts. Raises HTTPException if it is malformed."""
    fields, files = [], []
    try:
        async with request.form(max_fields=_FIELDS) as form:
            for name, part in form.multi_items():
                if isinstance(part, UploadFile):
                    files.append(File((part.filename or "the file")[:_NAME], await part.read()))
                else:
                    fields.append((name, part))
    except HTTPException:
        expected = f"{_FORM} with its boundary, and at most {_FIELDS} fields"
        raise HTTPException(400, f"the form cannot be read (expected {expected})") from None
    if len(files) > 1:
        raise HTTPException(400, f"the form contains {len(files)} files (send one file)")
    if not files:
        raise RefusedError("the form contains no file (expected a file of deals)")
    return files[0], fields


def _plain(items: Iterable[tuple[str, str]], name: str) -> dict[str, Any]:
    """Return texts as values for the keys of a question."""
    if name not in QUESTIONS:
        return {}
    lists, texts = lists_of(name), texts_of(name)
    values: dict[str, Any] = {}
    for key, text in items:
        if key in lists:
            values.setdefault(key, []).append(text)
        else:
            _add(values, {key: text if key in texts else _scalar(text)})
    return values


def _scalar(text: str) -> Any:
    """Return a number or a boolean; other text is kept, and refused later."""
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        return text
