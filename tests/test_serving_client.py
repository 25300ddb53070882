"""A client that openapi-python-client makes of /openapi.json asks every address."""

import importlib
import json
import subprocess
import sys
from enum import EnumType
from pathlib import Path
from typing import Any

import pytest

from test_serving import ALL, DUMMIES, EASY, NORTH, SOUTH, SUITS, running

pytestmark = pytest.mark.slow

GENERATOR = Path(sys.executable).with_name("openapi-python-client")
if not GENERATOR.exists():
    pytest.skip("openapi-python-client is not installed", allow_module_level=True)

DEALS: dict[str, Any] = {"deals": [EASY]}
PLAYED = {"contract": "7S", "by": "S"}
TOKEN = {"token": "nobody", "chunk": 1}
QUESTIONS: dict[str, tuple[dict[str, Any], int]] = {
    "estimate": (DEALS, 200),
    "solve": (DEALS, 200),
    "par": (DEALS, 200),
    "play": (DEALS | PLAYED, 200),
    "played": (DEALS | PLAYED, 200),
    "auction": ({"auction": "1N P 3N"}, 200),
    "bid": ({"hand": NORTH, "auction": "1S P", "dealer": "S"}, 200),
    "deal": ({"boards": 2}, 200),
    "session": (DEALS, 200),
    "simulate": (ALL | PLAYED, 200),
    "compare": (ALL | {"contracts": ["2S", "3N"], "by": ["S"]}, 200),
    "leads": (DUMMIES | {"leader": SUITS[3], "contract": "3N", "by": "S"}, 200),
    "convert": (DEALS | {"to": "text"}, 200),
    "hand": ({"hands": [NORTH]}, 200),
    "pair": ({"north": [NORTH], "south": [SOUTH]}, 200),
    "open": ({"hands": [NORTH]}, 200),
    "nearest": ({"hands": [NORTH]}, 200),
    "models": ({}, 200),
    "contest/begin": ({"hands": 4, "strain": "N"}, 404),
    "contest/deal": (TOKEN, 404),
    "contest/answer": (TOKEN | {"number": 0, "tricks": None}, 404),
    "contest/result": (TOKEN, 404),
    "contest/forget": ({"token": "nobody"}, 404),
}

UNASKED = {"/v1/contest", "/healthz", "/readyz", "/metrics"}
"""Addresses that take no question."""


def body_of(module: Any, question: dict[str, Any]) -> Any:
    """A question as the model that the module's function takes."""
    kind = module._get_kwargs.__annotations__["body"]
    kinds = [part for part in getattr(kind, "__args__", (kind,)) if hasattr(part, "from_dict")]
    named = next(each for each in kinds if not each.__name__.endswith("Form"))
    return named.from_dict(question)


def keys_of(module: Any, question: dict[str, Any]) -> dict[str, Any]:
    """A question as the keys that the module's function takes, which may be of an enum."""
    kinds = module._get_kwargs.__annotations__

    def key_of(name: str, value: Any) -> Any:
        parts = getattr(kinds[name], "__args__", (kinds[name],))
        enums = [part for part in parts if isinstance(part, EnumType)]
        return enums[0](value) if enums else value

    return {name: key_of(name, value) for name, value in question.items()}


@pytest.mark.solver
def test_a_generated_client_asks_every_address(tmp_path, monkeypatch) -> None:
    with running("--solvers", "1", "--seconds", "300") as (client, _, _):
        schema = client.get("/openapi.json").json()
        (tmp_path / "openapi.json").write_text(json.dumps(schema))
        command = [str(GENERATOR), "generate", "--path", "openapi.json", "--meta", "none"]
        made = subprocess.run(
            [*command, "--output-path", "bridge_client"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        assert "WARNING" not in made.stdout, made.stdout
        monkeypatch.syspath_prepend(tmp_path)
        api = importlib.import_module("bridge_client")
        json_wanted = {"accept": "application/json"}  # of convert too, not the file itself
        modules = {
            f"{method.upper()} {path}": operation["operationId"]
            for path, operations in schema["paths"].items()
            for method, operation in operations.items()
        }
        with api.Client(base_url=str(client.base_url), timeout=300, headers=json_wanted) as caller:
            for address, operation in modules.items():
                method, _, path = address.partition(" ")
                module = importlib.import_module(f"bridge_client.api.default.{operation.lower()}")
                question, status = QUESTIONS.get(path.removeprefix("/v1/"), ({}, 0))
                assert status or path in UNASKED, f"{path} has no question here"
                if method == "POST":
                    answer = module.sync_detailed(client=caller, body=body_of(module, question))
                else:
                    answer = module.sync_detailed(client=caller, **keys_of(module, question))
                expected = status or (404 if path == "/v1/contest" else 200)
                assert answer.status_code == expected, (address, answer.content)
                if expected == 200 and path.startswith("/v1/"):
                    assert answer.parsed.results
