"""The routes of the contest, and the supply of solved deals for its players."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ...questions.deals import SolveQuestion
from ..contest import AskedStrain, Hands, PrintedRow, Score, Trump, drawn, prepared
from .engine import Engine
from .errors import BusyError, MissingError, OftenError, RefusedError
from .requests import Address, Body
from .sent import Sent
from .store import Row, Rules, Store

LOG = logging.getLogger(__name__)
_AGAIN_SECONDS = 10
_LOOK_SECONDS = 1
_STORE_SECONDS = 5  # for work of milliseconds, unless others hold the file
_REMEMBERED = 10_000  # addresses; the least recent are forgotten
_UNKEPT = {"cache-control": "no-store"}
Question = TypeVar("Question", bound=BaseModel)
Found = TypeVar("Found")
Token = Annotated[str, Field(max_length=100, description="What the player got from begin.")]
Chunk = Annotated[int, Field(ge=1, lt=2**63, description="As begin said.")]


class BeginQuestion(Body):
    """Begin a chunk of deals."""

    hands: Annotated[Hands, Field(description="Hands that are known: all, or North and South.")]
    strain: Annotated[
        AskedStrain,
        Field(description="Notrump, spades, or named with each deal, as in the paper."),
    ]
    token: Annotated[Token | None, Field(description="Of a player who has played before.")] = None
    name: Annotated[
        Annotated[str, Field(max_length=40)] | None, Field(description="For the table of the best.")
    ] = None


class ChunkQuestion(Body):
    """Ask for the next deal, whose clock then runs."""

    token: Token
    chunk: Chunk


class ResultQuestion(ChunkQuestion):
    """Ask for the score so far."""


class AnswerQuestion(ChunkQuestion):
    """Answer a deal."""

    number: Annotated[int, Field(ge=0, lt=1000, description="Of the deal in its chunk, from 0.")]
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
    strain: AskedStrain
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
    strain: Trump
    leader: Literal["N", "E", "S", "W"]
    tricks: int | None
    exact: int
    networks: dict[str, int]


class JudgedAnswer(AnsweredDeal):
    """The same after an answer."""

    late: bool
    finished: bool


class Result(TypedDict):
    """Scores of a chunk."""

    hands: Hands
    strain: AskedStrain
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
    strain: AskedStrain
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
        """Open the file. Raises StoreError if it cannot hold a contest."""
        self.rules = rules or Rules()
        self.store, self._clock = Store(path, self.rules, clock), clock
        self._one_at_a_time = CapacityLimiter(1)
        self._paid: dict[str, float] = {}

    async def do(self, act: Callable[[Store], Found]) -> Found:
        """Run an action on the file in a thread, as others may hold it for seconds.

        Raises BusyError if it takes too long, and whatever the store raises.
        """
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                return await run_sync(
                    act, self.store, abandon_on_cancel=True, limiter=self._one_at_a_time
                )
        except TimeoutError:
            raise BusyError("the contest's file is in use; try again in a second") from None

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def admit(self, address: str) -> None:
        """Let an address begin a chunk or take a deal. Raises OftenError if it does so too often.

        It may do so ``at_once`` times, and then once in ``every`` seconds. For each recent address
        the time is stored until which it has used up its allowance.
        """
        now, every = self._clock(), self.rules.every
        paid = max(self._paid.pop(address, 0.0), now) + every
        if paid > now + self.rules.at_once * every:
            self._paid[address] = paid - every
            raise OftenError("too many deals for one address; try again in a few seconds")
        self._paid[address] = paid
        if len(self._paid) > _REMEMBERED:
            del self._paid[next(iter(self._paid))]

    async def fill(self, engine: Engine) -> None:
        """Keep deals solved until cancelled, whatever errors occur."""
        while True:
            try:
                while await self.do(Store.ready) < self.rules.ready:
                    await self._prepare(engine)
                await asyncio.sleep(_LOOK_SECONDS)
            except Exception as error:
                LOG.warning("no deal for the contest: %s", error)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _prepare(self, engine: Engine) -> None:
        deal, leader = drawn(*await self.do(Store.next_deal))
        async with aclosing(engine.ask("solve", SolveQuestion(), Sent(deals=[deal.pbn]))) as parts:
            async for _, solved in parts:
                tricks = np.array(solved["exact"], dtype=np.uint8)
        problem = await run_sync(prepared, deal, leader, tricks)
        await self.do(lambda store: store.add(problem))


def add_contest(app: FastAPI, contest: Contest | None, problems: dict[int | str, Any]) -> None:
    """Add the routes of the contest; without a contest they return an error."""
    responses = problems | {
        status: problems[422] | {"description": text}
        for status, text in {
            403: "no player has this token, or the request comes from a page of another site",
            404: "there is no such chunk or deal, or no contest",
            409: "the deal has its answer, or the chunk is finished",
            429: "this address asks too often: Retry-After says when to try again",
        }.items()
    }

    def held() -> Contest:
        if contest is None:
            raise MissingError("this server holds no contest (see trickcast serve --contest)")
        return contest

    def add(
        name: str,
        question: type[Question],
        act: Callable[[Store, Question], Any],
        answer: Any,
        *,
        limited: bool = False,
    ) -> None:
        async def endpoint(request: Request, asked: question) -> JSONResponse:  # type: ignore[valid-type]
            contest = held()
            if limited:
                contest.admit(_address(request))
            row = await contest.do(lambda store: act(store, asked))
            return JSONResponse(row, headers=_UNKEPT)

        app.add_api_route(
            f"/v1/contest/{name}",
            endpoint,
            methods=["POST"],
            response_model=answer,
            responses=responses,
            summary=question.__doc__,
            operation_id=f"contest_{name}",
        )

    add("begin", BeginQuestion, _begin, Begun, limited=True)
    add("deal", ChunkQuestion, _deal, GivenDeal, limited=True)
    add(
        "answer",
        AnswerQuestion,
        lambda store, asked: store.answer(**asked.model_dump()),
        JudgedAnswer,
    )
    add("result", ResultQuestion, lambda store, asked: store.result(**asked.model_dump()), Result)
    add("forget", ForgetQuestion, _forget, Forgotten)

    @app.get("/v1/contest", response_model=Overview, responses=responses, summary=Overview.__doc__)
    async def overview(_: Annotated[Address, Query()]) -> JSONResponse:
        contest = held()
        rules, best = contest.rules, await contest.do(Store.table)
        told = {"length": rules.length, "seconds": rules.seconds, "best": best}
        return JSONResponse(told, headers=_UNKEPT)


def _address(request: Request) -> str:
    """Return the client's address: IPv4, or the network of IPv6, which one client may own."""
    host = "" if request.client is None else request.client.host
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(ip_network((address, 64), strict=False) if address.version == 6 else address)


def _begin(store: Store, asked: BeginQuestion) -> Row:
    name = None if asked.name is None else asked.name.strip()
    if name is not None and not name.isprintable():
        raise RefusedError("name: it contains characters that cannot be printed", "name")
    return store.begin(asked.hands, asked.strain, asked.token, name)


def _deal(store: Store, asked: ChunkQuestion) -> Row:
    return store.deal(asked.token, asked.chunk)


def _forget(store: Store, asked: ForgetQuestion) -> Row:
    store.forget(asked.token)
    return {"forgotten": True}
