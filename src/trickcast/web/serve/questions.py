"""A request as a question: by JSON, by what follows ``?`` in the address, or with a file of deals.

A file is the whole body, of the content type of its format or of any other than JSON, or a part
of a form (``multipart/form-data``); what else is asked then follows ``?``, or is in other parts.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import python_multipart  # noqa: F401  # what Starlette reads forms with, only when one comes
from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from ...formats import FORMATS
from .errors import RefusedError
from .requests import DealsQuestion

Asked = TypeVar("Asked", bound=BaseModel)
_FORM, _JSON = "multipart/form-data", "application/json"
_FILE_TYPES = ("text/plain", "application/octet-stream", "application/x-pbn", "application/x-lin")
"""Of any other type than these a file is taken too; these are named in the schema."""
_ERRORS_SHOWN = 3
_NAME = 60  # characters of a name in messages
_DIGITS = 400  # of a whole number: more than any that can be computed with as a float


class File(NamedTuple):
    """A file that was sent."""

    name: str
    content: bytes


async def read_question(request: Request, question: type[Asked]) -> tuple[Asked, File | None]:
    """Return what is asked, and the file of its deals where there is one.

    Raises HTTPException (400, 415) for what cannot be read, RefusedError for another question.
    """
    values = _plain(request.query_params.multi_items(), question)
    file = None
    if request.method == "POST":
        kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
        if kind == _JSON:
            _add(values, _object(await request.body()))
        elif not issubclass(question, DealsQuestion):
            raise HTTPException(415, f"{kind[:_NAME]} is not read here (expected {_JSON})")
        elif kind == _FORM:
            file, fields = await _form(request)
            _add(values, _plain(fields, question))
        else:
            file = File("the file", await request.body())
            named = kind.rpartition("/")[2].removeprefix("x-")
            if named in FORMATS:
                values.setdefault("from", named)
    if file is not None:
        if "deals" in values:
            raise RefusedError("deals are given twice (expected a file or deals)")
        values["deals"] = [""]  # for the file
    try:
        return question.model_validate(values, strict=True), file
    except ValidationError as error:
        raise RefusedError(_faults(error)) from None


def body_schema(question: type[BaseModel]) -> dict[str, Any]:
    """Return the request body of a question in the words of OpenAPI."""
    schema = _schema(question)
    content: dict[str, Any] = {_JSON: {"schema": schema}}
    if issubclass(question, DealsQuestion):
        file = {"type": "string", "format": "binary"}
        content |= {kind: {"schema": file} for kind in _FILE_TYPES}
        properties = {name: schema["properties"][name] for name in _other_keys(question)}
        required = [name for name in schema["required"] if name != "deals"]
        content[_FORM] = {
            "schema": {
                "type": "object",
                "properties": {"file": file} | properties,
                "required": ["file", *required],
                "additionalProperties": False,
            }
        }
    return {"required": True, "content": content}


def parameters(question: type[BaseModel], *, all_keys: bool) -> list[dict[str, Any]]:
    """Return what may follow ``?`` in the words of OpenAPI: all keys, or those beside a file."""
    schema = _schema(question)
    names = list(schema["properties"])
    if not all_keys:
        names = _other_keys(question) if issubclass(question, DealsQuestion) else []
    return [
        {
            "name": name,
            "in": "query",
            "required": all_keys and name in schema.get("required", ()),
            "schema": schema["properties"][name],
        }
        for name in names
    ]


def _other_keys(question: type[BaseModel]) -> list[str]:
    return [name for name in _schema(question)["properties"] if name != "deals"]


@cache
def _schema(question: type[BaseModel]) -> dict[str, Any]:
    return question.model_json_schema()


def _object(body: bytes) -> dict[str, Any]:
    try:
        content = _loads(body)
    except RefusedError:  # a ValueError too
        raise
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(content, dict):
        raise RefusedError("the body is no object of keys and values")
    return content


def _loads(text: str | bytes) -> Any:
    """Read JSON. Raises RefusedError for a key that is given twice, ValueError for other text."""
    return json.loads(text, object_pairs_hook=_once, parse_int=_whole)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        _add(values, {name: value})
    return values


def _whole(digits: str) -> int:
    """Read a whole number; of a longer one its size alone counts, which no key takes."""
    return int(digits[:_DIGITS])


def _add(values: dict[str, Any], more: dict[str, Any]) -> None:
    """Add keys to others. Raises RefusedError for one that is there already."""
    for name, value in more.items():
        if name in values:
            raise RefusedError(f"{name[:_NAME]} is given twice")
        values[name] = value


async def _form(request: Request) -> tuple[File, list[tuple[str, str]]]:
    """Return the file of a form, and its other parts. Raises HTTPException where it is broken."""
    async with request.form(max_files=1, max_fields=50) as form:
        fields, files = [], []
        for name, part in form.multi_items():
            if isinstance(part, UploadFile):
                files.append(File((part.filename or "the file")[:_NAME], await part.read()))
            else:
                fields.append((name, part))
    if not files:
        raise RefusedError("no file among the parts of the form (expected one of deals)")
    return files[0], fields


def _plain(items: Iterable[tuple[str, str]], question: type[BaseModel]) -> dict[str, Any]:
    """Return texts as the values that their keys take."""
    properties = _schema(question)["properties"]
    values: dict[str, Any] = {}
    for name, text in items:
        schema = properties.get(name, {})
        if schema.get("type") == "array":
            values.setdefault(name, []).append(text)
        else:
            kinds = {part.get("type") for part in (schema, *schema.get("anyOf", ()))}
            plain = "string" in kinds or "enum" in schema
            _add(values, {name: text if plain else _scalar(text)})
    return values


def _scalar(text: str) -> Any:
    """Return a number or a truth value; what is none stays a text, and is refused as one."""
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        return text


def _faults(error: ValidationError) -> str:
    """Return a line for each of the first errors: where it is, and what was expected."""
    lines = []
    for fault in error.errors(include_url=False)[:_ERRORS_SHOWN]:
        text = fault["msg"].removeprefix("Value error, ")
        place = ".".join(map(str, fault["loc"]))[:_NAME]
        lines.append(f"{place}: {text[:1].lower()}{text[1:]}" if place else text)
    return "\n".join(lines)
