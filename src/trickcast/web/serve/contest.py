"""The addresses of the contest, and what keeps deals solved for its players."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ...questions.deals import SolveQuestion
from ..contest import Hands, PrintedRow, Score, Trump, drawn, prepared
from .engine import Engine
from .errors import BusyError, JobError, MissingError, RefusedError
from .given import Sent
from .requests import Body
from .store import Row, Rules, Store

LOG = logging.getLogger(__name__)
_AGAIN_SECONDS = 10
_LOOK_SECONDS = 1
_UNKEPT = {"cache-control": "no-store"}
Asked = TypeVar("Asked", bound=BaseModel)
Token = Annotated[str, Field(max_length=100, description="What the player got from begin.")]
Chunk = Annotated[int, Field(ge=1, lt=2**63, description="As begin said.")]


class BeginQuestion(Body):
    """Begin a chunk of deals."""

    hands: Annotated[Hands, Field(description="Hands that are known: all, or North and South.")]
    strain: Annotated[Trump, Field(description="Notrump or spades.")]
    token: Annotated[Token | None, Field(description="Of a player who has played before.")] = None
    name: Annotated[
        Annotated[str, Field(max_length=40)] | None, Field(description="For the table of the best.")
    ] = None


class ChunkQuestion(Body):
    """Ask for the next deal, whose clock then runs, or for the score so far."""

    token: Token
    chunk: Chunk


class AnswerQuestion(ChunkQuestion):
    """Answer a deal."""

    number: Annotated[int, Field(ge=0, lt=1000, description="Of the deal in its chunk.")]
    tricks: Annotated[
        Annotated[int, Field(ge=0, le=13)] | None,
        Field(description="That North and South take; null: no answer."),
    ]


class ForgetQuestion(Body):
    """Delete a player: name, chunks and answers."""

    token: Token


class Begun(TypedDict):
    """A chunk; the token is the player's, and is told nobody else."""

    token: str
    chunk: int
    hands: Hands
    strain: Trump
    length: int
    seconds: float


class GivenDeal(TypedDict):
    """A deal to answer within ``seconds``; number 0 is for training, and does not count."""

    number: int
    length: int
    deal: str
    strain: Trump
    leader: Literal["N", "E", "S", "W"]
    seconds: float


class AnsweredDeal(TypedDict):
    """A deal with the player's answer, the right one, and what the networks said."""

    number: int
    deal: str
    leader: Literal["N", "E", "S", "W"]
    tricks: int | None
    exact: int
    networks: dict[str, int]


class Taken(AnsweredDeal):
    """The same after an answer."""

    late: bool
    finished: bool


class Result(TypedDict):
    """Scores of a chunk."""

    hands: Hands
    strain: Trump
    finished: bool
    player: Score
    networks: dict[str, Score]
    printed: list[PrintedRow]
    deals: list[AnsweredDeal]


class Best(Score):
    """A player of the table."""

    name: str
    chunks: int
    begun: int


class Kind(TypedDict):
    """The best players of a kind."""

    hands: Hands
    strain: Trump
    players: list[Best]


class Overview(TypedDict):
    """How the contest is played, and who played best."""

    length: int
    seconds: float
    best: list[Kind]


class Forgotten(TypedDict):
    """A player is deleted."""

    forgotten: bool


class Contest:
    """A contest in a file."""

    def __init__(
        self, path: Path, rules: Rules | None = None, clock: Callable[[], float] = time.time
    ):
        """Open the file. Raises StoreError where it cannot be one."""
        self.store = Store(path, rules or Rules(), clock)

    async def fill(self, engine: Engine) -> None:
        """Keep deals solved until cancelled."""
        while True:
            try:
                while await run_sync(self.store.ready) < self.store.rules.ready:
                    await self._prepare(engine)
                await asyncio.sleep(_LOOK_SECONDS)
            except (BusyError, JobError) as error:
                LOG.warning("no deal for the contest: %s", error)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _prepare(self, engine: Engine) -> None:
        deal, leader = drawn(*await run_sync(self.store.next_deal))
        async with aclosing(engine.ask("solve", SolveQuestion(), Sent(deals=[deal.pbn]))) as parts:
            async for _, solved in parts:
                tricks = np.array(solved["exact"], dtype=np.uint8)
        self.store.add(await run_sync(prepared, deal, leader, tricks))


def add_contest(app: FastAPI, contest: Contest | None, problems: dict[int | str, Any]) -> None:
    """Add the addresses of the contest, which say so where there is none."""
    responses = problems | {
        status: problems[422] | {"description": text}
        for status, text in {
            403: "no player has this token, or the request comes from a page of another site",
            404: "there is no such chunk or deal, or no contest",
            409: "the deal has its answer, or the chunk is finished",
        }.items()
    }

    def store() -> Store:
        if contest is None:
            raise MissingError("this server holds no contest (see trickcast serve --contest)")
        return contest.store

    def add(
        name: str, question: type[Asked], act: Callable[[Store, Asked], Any], answer: Any
    ) -> None:
        async def endpoint(asked: question) -> JSONResponse:  # type: ignore[valid-type]
            return JSONResponse(await run_sync(act, store(), asked), headers=_UNKEPT)

        app.add_api_route(
            f"/v1/contest/{name}",
            endpoint,
            methods=["POST"],
            response_model=answer,
            responses=responses,
            summary=question.__doc__,
            operation_id=f"contest_{name}",
        )

    add("begin", BeginQuestion, _begin, Begun)
    add("deal", ChunkQuestion, lambda store, asked: store.deal(**asked.model_dump()), GivenDeal)
    add("answer", AnswerQuestion, lambda store, asked: store.answer(**asked.model_dump()), Taken)
    add("result", ChunkQuestion, lambda store, asked: store.result(**asked.model_dump()), Result)
    add("forget", ForgetQuestion, _forget, Forgotten)

    @app.get("/v1/contest", response_model=Overview, responses=responses)
    async def overview() -> JSONResponse:
        """How the contest is played, and who played best."""
        rules, best = store().rules, await run_sync(store().table)
        told = {"length": rules.length, "seconds": rules.seconds, "best": best}
        return JSONResponse(told, headers=_UNKEPT)


def _begin(store: Store, asked: BeginQuestion) -> Row:
    name = None if asked.name is None else asked.name.strip()
    if name is not None and not name.isprintable():
        raise RefusedError("name: it contains characters that cannot be printed")
    return store.begin(asked.hands, asked.strain, asked.token, name)


def _forget(store: Store, asked: ForgetQuestion) -> Row:
    store.forget(asked.token)
    return {"forgotten": True}
