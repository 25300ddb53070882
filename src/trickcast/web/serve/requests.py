"""Models of HTTP requests, made from the questions."""

import re
from functools import cache
from typing import Annotated, Any, Optional

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...formats import FORMATS
from ...questions import QUESTIONS, Question, question_of
from ...questions.declared import Parameter, parameters
from .errors import RefusedError

_LONGEST = 200  # characters of a deal or hand; the longest deal has 69
_PRECISE = 2**53  # larger numbers are rounded in a schema, whose bounds are floats
_TEXT = 10_000  # characters of any other text

DealText = Annotated[str, Field(max_length=_LONGEST, json_schema_extra={"format": "deal"})]
HandText = Annotated[str, Field(max_length=_LONGEST, json_schema_extra={"format": "hand"})]
_DEAL = "N:A.KQ9832.T94.AKT Q4.AT7.QJ872.732 KJ95.J65.K3.J654 T87632.4.A65.Q98"
_HAND, _PARTNER = "A.KQ9832.T94.AKT", "KJ95.J65.K3.J654"


class Body(BaseModel):
    """What is asked by JSON: it has no other keys than its own, and no text is a number."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)


class Address(BaseModel):
    """What is asked by what follows ``?`` in an address, where all is text."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def requests_of(name: str) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return the models of a question's body and of its query string."""
    question = question_of(name)
    fields: Any = {**_about(question)} | {
        declared.name: _field(declared, needed=declared.name in question.needed)
        for declared in parameters(question)
        if declared.said.served is not False
    }
    title = f"{name.title()}Request"
    return (
        create_model(title, __base__=Body, __doc__=summary(question), **fields),
        create_model(f"{title}Address", __base__=Address, **fields),
    )


def question_in(asked: BaseModel, name: str) -> Question:
    """Return the question of a request. Raises QuestionError, and RefusedError for too much.

    A key with its default value, or null, counts as not given: generated clients send them all.
    """
    question, fields = question_of(name), type(asked).model_fields
    declared = {each.name: each.said.served for each in parameters(question)}
    said = {key: getattr(asked, key) for key in asked.model_fields_set if key in declared}
    given = {
        key: value
        for key, value in said.items()
        if value is not None and value != fields[key].default
    }
    for key, value in given.items():
        most = declared[key]
        if not isinstance(most, bool) and value > most:
            raise RefusedError(f"{key} is {str(value)[:60]} (expected at most {most:,.0f})", key)
    return question(**given)


def summary(question: type[Question]) -> str:
    """Return a one-line summary of a question."""
    return (question.__doc__ or "").partition("\n")[0]


@cache
def keys_of(name: str) -> tuple[str, ...]:
    """Return the keys of a question."""
    fields = requests_of(name)[0].model_fields
    return tuple(field.alias or key for key, field in fields.items())


@cache
def lists_of(name: str) -> frozenset[str]:
    """Return the keys of a question that are lists."""
    question = question_of(name)
    several = {declared.name for declared in parameters(question) if declared.several}
    return frozenset(several | ({*_about(question)} - {"format", "strict"}))


@cache
def texts_of(name: str) -> frozenset[str]:
    """Return the keys of a question that are texts."""
    declared = parameters(question_of(name))
    return frozenset({each.name for each in declared if each.kind is str} | {"from"})


@cache
def filed(name: str) -> str | None:
    """Return the key that a file can replace; None if a question accepts no file."""
    if name not in QUESTIONS:
        return None
    question = question_of(name)
    return "deals" if question.about == "deals" else question.filed


def _about(question: type[Question]) -> dict[str, Any]:
    """Return the fields for deals or hands, and those that describe a file."""
    formats = f"Format of a file: {', '.join(FORMATS)}."
    strict = "Reject the input if any entry is not a valid deal."
    of_file = {
        "format": (
            Annotated[Annotated[str, Field(max_length=60)] | None, Field(description=formats)],
            Field(None, alias="from"),
        ),
        "strict": (Annotated[bool | None, Field(description=strict)], False),
    }
    if question.about is None:
        return {} if question.filed is None else of_file

    def texts(kind: Any, description: str, *examples: str) -> Any:
        field = Field(
            min_length=1,
            max_length=question.most,
            description=description,
            examples=[[example] for example in examples],
        )
        return Annotated[list[kind], field]

    if question.about == "hands":
        return {"hands": texts(HandText, "Hands, with dots between suits.", _HAND)}
    if question.about == "pairs":
        return {
            "north": texts(HandText, "Hands, with dots between suits.", _HAND),
            "south": texts(HandText, "Their partners' hands, or descriptions of them.", _PARTNER),
        }
    return {"deals": texts(DealText, "Deals, each 'N:' and four hands.", _DEAL)} | of_file


def _field(declared: Parameter, *, needed: bool) -> Any:
    """Return a field of a model; the question itself checks the values."""
    said, schema = declared.said, dict[str, Any]()
    if declared.kind in (int, float):
        high = said.max if isinstance(said.served, bool) else said.served
        ends = {"minimum": said.min, "maximum": high, "exclusiveMinimum": said.above}
        if high is not None and high > _PRECISE:
            ends |= {"maximum": None, "exclusiveMaximum": high + 1}
        schema |= {name: end for name, end in ends.items() if end is not None}
    if said.choices:
        schema["enum"] = list(said.choices)
    if said.format:
        schema["format"] = said.format
    facts: dict[str, Any] = {"json_schema_extra": schema} if schema else {}
    if declared.kind is str:
        facts["max_length"] = _TEXT
    kind: Any = Annotated[declared.kind, Field(**facts)]
    if declared.several:
        kind = Annotated[list[kind], Field(max_length=52)]
    default = ... if declared.required or needed else declared.default
    if default is not ...:  # null is not given
        kind = Optional[kind]  # noqa: UP045  # made when the server starts
    examples = None if said.example is None else [said.example]
    return (kind, Field(default, description=_in_keys(said.help), examples=examples))


def _in_keys(text: str) -> str:
    """Return the help of an option with keys in place of options; no script is sent to a server."""
    written = text.replace(", or by the script", "")
    return re.sub(r"--([a-z-]+)", lambda option: option[1].replace("-", "_"), written)
