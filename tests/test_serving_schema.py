"""What /openapi.json says of the server holds, as schemathesis finds by asking it anything."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from test_serving import EASY, NORTH, SOUTH, running
from trickcast.web.serve.connections import HEAD

schemathesis = pytest.importorskip("schemathesis")

from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: E402

EXAMPLES = int(os.environ.get("TRICKCAST_SCHEMA_EXAMPLES", "3"))
"""Requests of each kind to each address."""

schemathesis.openapi.format("deal", st.sampled_from([EASY, f"{EASY} ", "N:AK"]) | st.text())
schemathesis.openapi.format("hand", st.sampled_from([NORTH, SOUTH, "AK"]) | st.text())


@pytest.fixture(scope="module")
def api() -> Iterator[Any]:
    with running("--solvers", "1", "--seconds", "1") as (client, _, _):
        yield schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")


def check(case: Any) -> None:
    """A text that is a deal by its type may be none (422), and what takes too long is given up."""
    answer = case.call()
    if len(answer.request.url) > HEAD:  # refused before it is known what is asked
        assert answer.status_code == 400
        return
    excluded = [positive_data_acceptance]
    if answer.status_code == 503 and "retry-after" in answer.headers:
        excluded.append(not_a_server_error)
    case.validate_response(answer, excluded_checks=excluded)


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_every_answer_is_as_the_schema_says(api, mode) -> None:
    operations = [found.ok() for found in api.get_all_operations()]
    assert len(operations) >= 24
    for operation in operations:
        asked = given(case=operation.as_strategy(generation_mode=mode))
        limited = settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        try:
            limited(asked(check))()
        except Unsatisfiable:  # of what takes nothing, no question is wrong
            assert mode is schemathesis.GenerationMode.NEGATIVE


def test_generators_of_clients_can_read_it(api) -> None:
    """No key of an enum twice, no schema without a type of its own, no two of one title."""
    schema = api.raw_schema

    def enums(part: Any) -> Iterator[list[Any]]:
        if isinstance(part, dict):
            if isinstance(part.get("enum"), list):
                yield part["enum"]
            part = list(part.values())
        if isinstance(part, list):
            for inner in part:
                yield from enums(inner)

    found = list(enums(schema))
    assert found
    for values in found:
        assert len({str(value).upper() for value in values}) == len(values)
    schemas = schema["components"]["schemas"]
    titles = [part["title"] for part in schemas.values()]
    assert len(titles) == len(set(titles))
    for path, operations in schema["paths"].items():
        beside = {key["name"] for key in operations.get("post", {}).get("parameters", ())}
        assert beside <= {"x-request-id"}, path
        if path.startswith("/v1/"):
            for operation in operations.values():
                answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
                assert answer["$ref"].rpartition("/")[2] in schemas
