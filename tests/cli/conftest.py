"""One gateway for each module of tests that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Gateway, gateway, short_folder

SETTINGS = """
[[person]]
id = "kevin"
name = "Kevin Ng"
role = "operator"
content = true
identities = ["slack:T1/U1"]
"""


@pytest.fixture(scope="module")
def up() -> Iterator[Gateway]:
    """`oz0 up` with a data folder of its own, and one person in its settings."""
    with short_folder() as root:
        settings = Path(root) / "oz-gateway.toml"
        settings.write_text(SETTINGS, "utf-8")
        with gateway(OZ_DATA=f"{root}/data", OZ_CONFIG=str(settings)) as found:
            yield found
