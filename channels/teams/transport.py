"""The way in from Teams, and its transport; the only module with the Bot Framework SDK.

The SDK says whether a request is the service's. What is in it is read from its JSON, which the
SDK's models drop parts of.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from aiohttp import web
from botbuilder.schema import Activity
from botframework.connector.auth import (
    BotFrameworkAuthentication,
    BotFrameworkAuthenticationFactory,
    ServiceClientCredentialsFactory,
)
from botframework.connector.auth.jwt_token_extractor import JwtTokenExtractor

from channels.contract import Later, PostError, Shut, Unfit
from channels.teams import render
from channels.teams.connector import Connector
from channels.teams.inputs import stamp_ms
from channels.teams.lines import Lines
from channels.teams.parse import AskedLink, Did, Looked, Way, parse, service_url
from channels.teams.posting import Posting, opens_thread, under
from channels.teams.presses import Presses
from channels.teams.saying import Saying
from channels.teams.settings import PATH
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from channels.contract import Destination
    from channels.desk import Desk
    from channels.drawing import Drawing
    from channels.teams.settings import Settings

VERIFY_S = 5.0
"""Ours: keys are fetched by the SDK without a limit of its own."""

VERIFIERS = 8
"""Ours: threads that check tokens; one takes about a millisecond, a fetch of keys a second."""

TENANT_ISSUER = "https://sts.windows.net/{tenant}/"
"""Entra's of version 1, in whose name a bot of a single tenant may be called."""

KEYS_AGAIN_S = 300.0
"""Ours: how often an unknown key has the keys fetched again; the SDK itself keeps them a day."""

FINISH_S = 10.0
"""Ours: what is in hand may finish when we stop."""

_log = logging.getLogger("channels.teams")


class Refused(Exception):
    """A request that does not prove that it is the service's."""


class Credentials(ServiceClientCredentialsFactory):
    """Tells the SDK which bot this is; our own connector has the bot's secret."""

    def __init__(self, app_id: str) -> None:
        self._app_id = app_id

    async def is_valid_app_id(self, app_id: str) -> bool:
        return app_id == self._app_id

    async def is_authentication_disabled(self) -> bool:
        return False

    async def create_credentials(self, *_: object, **__: object) -> None:
        """None: the SDK calls nobody for us."""


class Gate:
    """Whether a request is the service's, and meant for this bot."""

    def __init__(self, settings: Settings) -> None:
        self._keys_url = settings.keys_url
        self._pool = ThreadPoolExecutor(VERIFIERS, thread_name_prefix="teams")
        self._fetched_at = float("-inf")
        # A bot of one tenant may be called with tokens in that tenant's name. The keys stay the
        # service's own: what Entra itself signs, for whichever app, is refused.
        issuers = (settings.issuer, TENANT_ISSUER.format(tenant=settings.tenant))
        self._authentications = [_authentication(settings, issuer) for issuer in issuers]

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def check(self, header: str, url: str) -> None:
        """Raises: Refused; Later, where the keys cannot be had just now."""
        try:
            await self._verify(header, url)
        except LookupError:
            # A key it does not know, which it never fetches again by itself.
            now = asyncio.get_running_loop().time()
            if now - self._fetched_at < KEYS_AGAIN_S:
                raise Refused("unknown key") from None
            self._fetched_at = now
            JwtTokenExtractor.metadataCache.pop(self._keys_url, None)
            try:
                await self._verify(header, url)
            except LookupError:
                raise Refused("unknown key") from None

    async def _verify(self, header: str, url: str) -> None:
        """In a thread of ours: the SDK fetches keys with calls that would block the event loop.

        Raises: Refused, Later, LookupError.
        """
        activity = Activity(channel_id="msteams", service_url=url)
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(
            self._pool,
            lambda: self._authenticate(activity, header),
        )
        try:
            async with asyncio.timeout(VERIFY_S):
                await work
        except LookupError:
            raise
        except OSError as error:
            # Of these one says that the token is wrong; the others, that no keys were to be had.
            kind = Refused if isinstance(error, PermissionError) else Later
            raise kind(type(error).__name__) from error
        except Exception as error:
            # The SDK raises whatever it stumbles over in a bad token; none of that lets it pass.
            raise Refused(type(error).__name__) from error

    def _authenticate(self, activity: Activity, header: str) -> None:
        """Returns where one of the issuers may have given the token. Raises: whatever the SDK does;
        of a wrong issuer PermissionError.
        """
        first, second = self._authentications
        try:
            asyncio.run(first.authenticate_request(activity, header))
        except PermissionError:
            asyncio.run(second.authenticate_request(activity, header))


def _authentication(settings: Settings, issuer: str) -> BotFrameworkAuthentication:
    return BotFrameworkAuthenticationFactory.create(
        validate_authority=True,
        to_channel_from_bot_login_url=settings.token_url,
        to_channel_from_bot_oauth_scope=settings.scope,
        to_bot_from_channel_token_issuer=issuer,
        oauth_url=settings.issuer,
        to_bot_from_channel_open_id_metadata_url=settings.keys_url,
        # Tokens of the emulator and of other bots are signed with other keys, so none passes.
        to_bot_from_emulator_open_id_metadata_url=settings.keys_url,
        credential_factory=Credentials(settings.app_id),
    )


class Transport:
    """One bot. Its connections are opened by its first call."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._settings = settings
        self._desk = desk
        self._gate = Gate(settings)
        self._connector = Connector(settings)
        self._posting = Posting(self._connector)
        self._saying = Saying(self._connector)
        self._presses = Presses(desk, self._saying, self._keep, self._later)
        self._lines = Lines()
        self._tasks: set[asyncio.Task[Any]] = set()

    # Out

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        """See `contract.Transport`."""
        message = await self._posting.post(where, drawing, key)
        return message, _ms(message)

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        """See `contract.Transport`."""
        body = render.update(drawing, opens_thread=opens_thread(where))
        await self._connector.update(where.conversation, where.thread, message, body)

    async def note(
        self,
        where: Destination,
        message: str,
        text: str,
        *,
        only_under: bool = False,  # noqa: ARG002  # no refusal of Teams tells
    ) -> None:
        """See `contract.Transport`."""
        thread = under(where, message)
        body = render.said(text)
        await self._connector.send(where.conversation, thread, body, f"note {message}")

    async def direct(self, account: str) -> str:
        """See `contract.Transport`."""
        return await self._connector.open(account)

    # In

    def routes(self) -> Sequence[web.AbstractRouteDef]:
        """The bot's messaging endpoint."""
        return [web.post(PATH, self._receive)]

    async def run(self) -> None:
        """Teams calls us; this only sees that the account is good. Raises: Shut."""
        try:
            await self._connector.token()
        except Shut:
            raise
        except PostError as error:
            event(_log, "teams.away", level=logging.WARNING, code=error.code)
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        """What is in hand is finished first."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FINISH_S)
        for task in self._tasks:
            task.cancel()
        self._gate.close()
        await self._connector.aclose()

    async def _receive(self, request: web.Request) -> web.Response:
        """One activity. Nothing in it is looked at before its token was checked."""
        try:
            activity = await request.json()
        except (ValueError, UnicodeDecodeError):
            return web.Response(status=400)
        told = service_url(activity)
        if told is None or activity.get("channelId") != "msteams":
            return web.Response(status=400)
        # The token names the address to the letter.
        url = activity["serviceUrl"]
        try:
            await self._gate.check(request.headers.get("Authorization", ""), url)
        except Refused as refused:
            event(_log, "teams.refused", level=logging.WARNING, code=str(refused))
            return web.Response(status=401)
        except Later as error:
            event(_log, "teams.unchecked", level=logging.WARNING, code=error.code)
            return web.Response(status=503)
        self._connector.learn(*told)
        return await self._answer(activity)

    async def _answer(self, activity: Mapping[str, Any]) -> web.Response:
        found = parse(activity, datetime.now(UTC))
        invoked = activity.get("type") == "invoke"
        try:
            match found:
                case None:
                    # An invoke that is none of ours is not known here; other events need nothing.
                    return web.Response(status=501 if invoked else 200)
                case AskedLink():
                    tell = self._desk.link(found.sender, found.where)
                    self._later(self._saying.whisper(found.sender.account, found.where, tell))
                    return web.Response()
                case Looked():
                    return await self._show(found)
                case Did(Way.TYPED, typed):
                    async with self._lines.turn(typed.where.conversation):
                        response = await self._desk.handle(typed)
                        self._later(self._saying.tell(typed, response, found.way))
                    return web.Response()
                case Did():
                    return await self._presses.answer(found)
        except Unavailable:
            return web.Response(status=503)

    async def _show(self, looked: Looked) -> web.Response:
        """The card as it stands. A post of ours that is none any more is left as it is."""
        drawing = await self._desk.drawn(looked.ask_id, looked.where, looked.message)
        if drawing is None:
            return web.json_response(render.unknown())
        try:
            body = render.update(drawing, opens_thread=opens_thread(looked.where))
        except Unfit:
            return web.json_response(render.unknown())
        card = body["attachments"][0]["content"]
        return web.json_response(render.shown_to_presser(card))

    # Behind answers

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Goes on behind the answer; what the platform does not take is noted, not raised."""

        async def guarded() -> None:
            try:
                await work
            except PostError as error:
                event(_log, "teams.unsaid", level=logging.WARNING, code=error.code)
            except Exception as error:  # noqa: BLE001  # nobody waits for this task
                event(_log, "teams.failed", level=logging.ERROR, error=error)

        self._keep(asyncio.create_task(guarded()))

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _ms(message: str) -> int:
    found = stamp_ms(message)
    return int(time.time() * 1000) if found is None else found
