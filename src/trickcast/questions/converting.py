"""The question that converts deals to another format, with tricks if requested."""

import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

import numpy as np
from typing_extensions import TypedDict

from ..cards import UNKNOWN, DealSet
from ..estimator import DEFAULT_MODEL, Estimator, loaded
from ..formats import FORMATS, FormatError, FormatWarning, format_to_write
from ..solver import solve_batches
from .annotating import annotated
from .declared import Option, Question, QuestionError
from .file_tables import FileTables

_WRITTEN = tuple(format.name for format in FORMATS.values() if format.write is not None)


class _Written(Option):
    """The option of an output format; of one that can only be read it says so."""

    def check(self, name: str, value: Any) -> Any:
        """Return the name of the format. Raises QuestionError for one that cannot be written."""
        if not isinstance(value, str) or value.lower() not in FORMATS:
            return super().check(name, value)
        try:
            return format_to_write("", value).name
        except FormatError as error:
            raise QuestionError(str(error)) from None


class ConvertedFile(TypedDict):
    """A file in another format: text, or packed in base64."""

    format: str
    content: NotRequired[str]
    base64: NotRequired[str]


@dataclass(frozen=True, kw_only=True)
class ConvertQuestion(Question):
    """Convert files of deals to another format.

    Example: trickcast convert deals.lin deals.pbn --solve
    """

    about, needed = "deals", ("to",)
    to: Annotated[
        str | None,
        _Written(
            metavar="FORMAT",
            choices=_WRITTEN,
            help="Output format (default: by the suffix).",
            example="text",
        ),
    ] = None
    solve: Annotated[bool, Option(help="Add exact tricks; in PBN the par too.")] = False
    estimate: Annotated[bool, Option(help="Fill in unknown tricks with estimates.")] = False
    model: Annotated[
        str,
        Option(metavar="MODEL", help="Model for --estimate."),
    ] = DEFAULT_MODEL

    def check(self) -> None:
        """Refuse two kinds of tricks at once, and a model without estimates."""
        if self.solve and self.estimate:
            raise QuestionError("{} and {} cannot be combined", "solve", "estimate")
        if "model" in self.given and not self.estimate:
            raise QuestionError("{} needs {}", "model", "estimate")

    def ask(
        self,
        chunks: Iterator[DealSet],
        form: str,
        solved: Callable[[Iterator[DealSet]], Iterator[DealSet]],
        workers: int | None = None,
    ) -> Iterator[DealSet]:
        """Pass deals on with the data that a file of this format should hold.

        ``solved`` adds exact tables.
        """
        comment = None
        if self.solve:
            chunks = solved(chunks)
        elif self.estimate:
            comment = f"tricks without a solver, where they were not known: trickcast {self.model}"
            estimator = loaded(self.model, workers)
            chunks = (_with_unknown(chunk, estimator) for chunk in chunks)
        if (self.solve or self.estimate) and form == "pbn":
            chunks = annotated(chunks, comment)
        return chunks

    def answer(self, content: bytes) -> ConvertedFile:
        """Answer with a file."""
        assert self.to is not None  # a server requires it
        try:
            return {"format": self.to, "content": content.decode()}
        except UnicodeDecodeError:
            return {"format": self.to, "base64": b64encode(content).decode()}


def solved_here(chunks: Iterable[DealSet]) -> Iterator[DealSet]:
    """Pass deals on with exact tables from this thread: complete ones of the file, else DDS's.

    No cell of a partial table is kept: mixed with exact ones it could give a wrong par.
    """
    of_file = FileTables()
    for chunk in chunks:
        tables = chunk.tricks_or_unknown.copy()
        rows = of_file.to_solve(tables)
        exact = [tables[:0], *solve_batches(chunk.owners[rows], workers=1)]
        of_file.fill(chunk, tables, rows, np.concatenate(exact))
        yield chunk.with_tricks(tables)
    if of_file.difference is not None:
        warnings.warn(of_file.difference, FormatWarning, stacklevel=1)


def _with_unknown(chunk: DealSet, network: Estimator) -> DealSet:
    """Fill in unknown tricks with estimates."""
    known = chunk.tricks_or_unknown.copy()
    rows = np.flatnonzero((known == UNKNOWN).any(axis=(1, 2)))
    if len(rows):
        known[rows] = np.where(known[rows] == UNKNOWN, network(chunk[rows]).tricks, known[rows])
    return chunk.with_tricks(known)
