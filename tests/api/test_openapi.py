"""The OpenAPI document is what the running server does: schemathesis tries it, check by check."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from gateway.api.openapi import document
from gateway.api.routes import ENDPOINTS, OPEN
from tests.api.serving import Gateway, make_tokens
from tests.api.serving import gateway as a_gateway

ROOT = Path(__file__).parent.parent.parent


def operations() -> dict[str, dict[str, Any]]:
    """Every operation, by its id."""
    found = {}
    for methods in document()["paths"].values():
        for operation in methods.values():
            assert operation["operationId"] not in found
            found[operation["operationId"]] = operation
    return found


def test_every_address_is_documented_once() -> None:
    """With a sentence, and with every status that any address may refuse with."""
    told = operations()
    assert len(told) == len(ENDPOINTS) + len(OPEN)
    for operation in told.values():
        assert operation["summary"].endswith(".")
        assert "421" in operation["responses"]


def test_links_lead_to_operations_that_are_there() -> None:
    """Each names an operation that takes the parameter."""
    told = operations()
    for operation in told.values():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                taken = [one["name"] for one in told[link["operationId"]]["parameters"]]
                assert set(link["parameters"]) <= set(taken)


async def test_the_document_is_served_without_a_token(gw: Gateway) -> None:
    """As JSON, and it says that everything else needs one."""
    served = await gw.nobody().get("/openapi.json")
    assert served.status == 200
    assert served.body == document()
    assert served.body["openapi"] == "3.1.0"
    assert served.body["security"] == [{"token": []}]


@pytest.mark.timeout(170)
@pytest.mark.parametrize(
    ("who", "phases", "examples"),
    [("owner", "coverage,fuzzing", 2), ("granted", "stateful", 5)],
)
async def test_schemathesis_finds_no_fault(
    tmp_path: Path, who: str, phases: str, examples: int
) -> None:
    """Valid calls, invalid ones and sequences of both are answered as the document says.

    An agent's token makes the sequences: from a run to its asks, and to their answers.
    """
    async with a_gateway(None, tmp_path) as gw:
        await make_tokens(gw)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli"),
            *("--config-file", str(ROOT / "schemathesis.toml"), "--no-color"),
            *("run", f"{gw.base}/openapi.json"),
            *("--header", f"Authorization: Bearer {gw.secrets[who]}"),
            *("--phases", phases, "--max-examples", str(examples), "--seed", "1"),
            *("--warnings", "off"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=tmp_path,
        )
        said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    assert "Selected: 32/32" in said.decode()
