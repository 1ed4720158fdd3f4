"""The real Bot Framework SDK, pointed at a fake Teams: a bot that listens, and its way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import requests
from aiohttp import web
from botbuilder.core import InvokeResponse, TurnContext
from botbuilder.integration.aiohttp import CloudAdapter
from botbuilder.schema import Activity, ActivityTypes, ConversationParameters
from botframework.connector.aio import ConnectorClient
from botframework.connector.auth import (
    AppCredentials,
    BotFrameworkAuthenticationFactory,
    ClaimsIdentity,
    ServiceClientCredentialsFactory,
)
from botframework.connector.auth.jwt_token_extractor import JwtTokenExtractor

from channels.testing.teams import ISSUER, SCOPE, Teams

Answering = Callable[[Activity], Awaitable[InvokeResponse | None]]


class Credentials(AppCredentials):
    """Fetches its token with a blocking call in the event loop, as the SDK's own do."""

    def __init__(self, teams: Teams) -> None:
        super().__init__(teams.app_id)
        self.teams = teams
        self.token = ""

    def get_access_token(self, force_refresh: bool = False) -> str:
        if not self.token or force_refresh:
            form = {
                "grant_type": "client_credentials",
                "client_id": self.teams.app_id,
                "client_secret": "a secret of this test",
                "scope": SCOPE,
            }
            answer = requests.post(self.teams.identity.login_url, data=form, timeout=5)
            answer.raise_for_status()
            self.token = answer.json()["access_token"]
        return self.token


class Factory(ServiceClientCredentialsFactory):
    def __init__(self, credentials: Credentials) -> None:
        self.credentials = credentials

    async def is_valid_app_id(self, app_id: str) -> bool:
        return app_id == self.credentials.teams.app_id

    async def is_authentication_disabled(self) -> bool:
        return False

    async def create_credentials(self, *_: object, **__: object) -> AppCredentials:
        return self.credentials


class SdkBot:
    """A bot of the real SDK. `heard` are the activities that reached its handler."""

    def __init__(self, teams: Teams) -> None:
        self.teams = teams
        self.heard: list[Activity] = []
        self.refusals: list[str] = []
        self.answer: InvokeResponse | None = None
        self.status = 201
        self.gate = asyncio.Event()
        self.gate.set()
        self.credentials = Credentials(teams)
        # The SDK keeps keys by their address for a day; another fake may have had this port.
        JwtTokenExtractor.metadataCache.pop(teams.identity.metadata_url, None)
        self.adapter = CloudAdapter(
            BotFrameworkAuthenticationFactory.create(
                validate_authority=False,
                to_channel_from_bot_login_url=teams.identity.login_url,
                to_channel_from_bot_oauth_scope=SCOPE,
                to_bot_from_channel_token_issuer=ISSUER,
                oauth_url=teams.identity.url,
                to_bot_from_channel_open_id_metadata_url=teams.identity.metadata_url,
                to_bot_from_emulator_open_id_metadata_url=teams.identity.metadata_url,
                credential_factory=Factory(self.credentials),
            )
        )

    async def on_turn(self, context: TurnContext) -> None:
        self.heard.append(context.activity)
        await self.gate.wait()
        if context.activity.type == ActivityTypes.invoke and self.answer is not None:
            found = Activity(type=ActivityTypes.invoke_response, value=self.answer)
            await context.send_activity(found)

    async def handle(self, request: web.Request) -> web.Response:
        """The route around the SDK's own, which answers invokes with 500 and bad tokens too."""
        activity = Activity().deserialize(await request.json())
        header = request.headers.get("Authorization", "")
        try:
            found = await self.adapter.process_activity(header, activity, self.on_turn)
        except Exception as error:  # noqa: BLE001 - the SDK raises plain ones for bad tokens
            self.refusals.append(type(error).__name__)
            return web.Response(status=401)
        if found is None:
            return web.Response(status=self.status)
        return web.json_response(found.body, status=found.status)

    async def client(self) -> ConnectorClient:
        """The SDK's connector client, for this bot and the fake's service URL."""
        claims = ClaimsIdentity({"aud": self.teams.app_id}, True)
        factory = self.adapter.bot_framework_authentication.create_connector_factory(claims)
        return await factory.create(self.teams.service_url, SCOPE)

    async def send(self, conversation: str, **parts: Any) -> str:
        """Sends a message; its id."""
        client = await self.client()
        activity = Activity(type="message", **parts)
        answer = await client.conversations.send_to_conversation(conversation, activity)
        return str(answer.id)

    async def create(self, **parts: Any) -> Any:
        client = await self.client()
        return await client.conversations.create_conversation(ConversationParameters(**parts))


@asynccontextmanager
async def listening(teams: Teams) -> AsyncGenerator[SdkBot, None]:
    """A bot that listens on a free port, and that the fake knows of."""
    bot = SdkBot(teams)
    app = web.Application()
    app.router.add_post("/api/messages", bot.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    teams.connect(f"http://{host}:{port}/api/messages")
    try:
        yield bot
    finally:
        await runner.cleanup()
