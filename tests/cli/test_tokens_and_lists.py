"""`oz0 token`, `people`, `dead` and `tools`."""

from __future__ import annotations

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.cli.running import COLOURS, Gateway, gateway, oz0, short_folder, wait_until


def test_a_made_token_is_alone_on_standard_output(up: Gateway) -> None:
    """`OZ_TOKEN=$(oz0 token make …)` works, and the token does what it was made for."""
    made = up.oz0("token", "make", "bot", "--role", "agent", "--agent", "asker")
    assert made.returncode == 0, made.stderr
    secret = made.stdout.strip()
    assert secret.startswith("oz_")
    assert secret not in made.stderr
    assert up.call("POST", "/v1/runs", {}, token=secret).body["agent"] == "asker"
    assert up.here("token", "list", OZ_TOKEN=secret).returncode == 1


def test_the_list_names_tokens_and_shows_no_secret(up: Gateway) -> None:
    """By name, with what each may; revoked, it opens nothing."""
    secret = up.here("token", "make", "desk", "--content").stdout.strip()
    listed = up.here("token", "list")
    assert "desk" in listed.stdout
    assert secret not in listed.stdout
    [token] = [one for one in up.json("token", "list")["tokens"] if one["name"] == "desk"]
    assert (token["role"], token["content"]) == ("operator", True)
    assert up.here("token", "revoke", token["id"]).returncode == 0
    refused = up.here("approval", "list", OZ_TOKEN=secret)
    assert refused.returncode == 1
    assert "OZ_TOKEN" in refused.stderr


def test_a_token_that_cannot_be_made_says_every_reason(up: Gateway) -> None:
    """Each fault has its line."""
    done = up.here("token", "make", "odd", "--agent", "asker", "--person", "nobody")
    assert done.returncode == 1
    assert "  agent: " in done.stderr
    assert "  person: " in done.stderr


def test_people_are_those_of_the_settings(up: Gateway) -> None:
    """An owner sees their accounts too."""
    shown = up.oz0("people").stdout
    assert "kevin" in shown
    assert "slack:T1/U1" in shown
    assert up.json("people")["people"][0]["name"] == "Kevin Ng"


def test_tools_are_printed_as_a_model_sees_them() -> None:
    """Three for a main run, two for a sub-run; no gateway is needed."""
    offered = json.loads(oz0("tools").stdout)
    assert [tool["name"] for tool in offered] == ["oz__ask_user", "ask_user", "ask_a_human"]
    assert all(tool["parameters"]["type"] == "object" for tool in offered)
    fewer = oz0("tools", "--sub-run", "--json").stdout
    assert [tool["name"] for tool in json.loads(fewer)] == ["oz__ask_user", "ask_a_human"]
    assert fewer.count("\n") == 1


def test_a_dead_letter_is_listed_and_driven_again() -> None:
    """A receiver that is gone is given up; once it is back, `redrive` delivers."""
    told: list[str] = []
    status = [410]

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(self.headers["webhook-id"])
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status[0])
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server,
        short_folder() as root,
    ):
        thread = Thread(target=server.serve_forever)
        thread.start()
        settings = Path(root) / "settings.toml"
        settings.write_text("[gateway]\nallow_private_webhooks = true\n", "utf-8")
        try:
            with gateway(OZ_DATA=f"{root}/data", OZ_CONFIG=str(settings)) as up:
                assert up.here("dead", "list").stdout == "Nothing has failed for good.\n"
                secret = f"whsec_{base64.b64encode(bytes(32)).decode()}"
                url = f"http://127.0.0.1:{server.server_address[1]}/hook"
                job = up.run(webhook={"url": url, "secret": secret})
                ask = up.ask(job, COLOURS)
                up.call("POST", f"/v1/asks/{ask}/answer", {"answer": "red"})
                wait_until(lambda: up.json("dead", "list", "resume")["letters"], "a dead letter")
                listed = up.oz0("dead", "list").stdout
                assert ask in listed
                assert "410" in listed
                assert up.here("dead", "redrive", "resume").returncode == 2
                status[0] = 204
                before = len(told)
                done = up.here("dead", "redrive", "resume", "--all")
                assert done.stdout == "1 will be tried again.\n", done.stderr
                wait_until(lambda: len(told) > before, "the outcome again")
                assert set(told) == {f"out-{ask}"}
                assert up.json("dead", "list", "resume")["letters"] == []
                assert up.here("dead", "list", "nowhere").returncode == 1
        finally:
            server.shutdown()
            thread.join()
