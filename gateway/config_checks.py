"""What TOML and types cannot tell of people and tenants, and every fault in words. Pure.

No fault repeats a value, because a value may be a password; a key or an id it may name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gateway.errors import Problem
from gateway.person import Person, Role, Tenant

if TYPE_CHECKING:
    from gateway.routes import Route

SHARED_ACCOUNTS = {
    "telegram:1087968824": "is every anonymous group admin at once",
    "telegram:136817688": "is whoever writes in the name of a channel",
    "telegram:777000": "is Telegram itself, which forwards channel posts",
}
"""Accounts behind which Telegram hides people: GroupAnonymousBot, Channel_Bot, the service account.

Source: https://core.telegram.org/bots/api#message (`from`, `sender_chat`).
"""

MAX_NAME = 200
"""Ours: a name stands in one line of a post."""

_ID = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")
_IDENTITY = re.compile(r"[a-z][a-z0-9_-]*:[^\s:]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """Words for a name that is none of `known`, with the nearest that is."""
    near = get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}."
    return f"There is no such {what}. {hint}"


def tenant_faults(tenants: Sequence[Tenant]) -> list[Problem]:
    problems = _repeated("tenant", [tenant.id for tenant in tenants])
    for n, tenant in enumerate(tenants):
        problems += _named_and_placed(f"tenant[{n}]", tenant)
    return problems


def people_faults(tenants: Sequence[Tenant], people: Sequence[Person]) -> list[Problem]:
    known = [tenant.id for tenant in tenants]
    problems = _repeated("person", [f"{person.tenant}/{person.id}" for person in people])
    for n, person in enumerate(people):
        path = f"person[{n}]"
        problems += _named_and_placed(path, person)
        if person.tenant not in known:
            problems.append(Problem(f"{path}.tenant", unknown("tenant", person.tenant, known)))
        if person.role is Role.AGENT:
            words = "An agent is a token, not a person: reader, operator, admin or owner."
            problems.append(Problem(f"{path}.role", words))
        if person.email is not None and not _EMAIL.fullmatch(person.email):
            problems.append(Problem(f"{path}.email", "Not an address: write name@example.com."))
    return problems + _identity_faults(people)


def route_faults(
    tenants: Sequence[Tenant],
    people: Sequence[Person],
    routes: Sequence[Route],
    channels: Sequence[str],
) -> list[Problem]:
    """Routes to nobody, of nobody, or over a channel that is not there."""
    known = [tenant.id for tenant in tenants]
    there = {(person.tenant, person.id) for person in people}
    problems = []
    for n, route in enumerate(routes):
        path = f"route[{n}]"
        if route.tenant not in known:
            problems.append(Problem(f"{path}.tenant", unknown("tenant", route.tenant, known)))
        elif route.person is not None and (route.tenant, route.person) not in there:
            named = [person.id for person in people if person.tenant == route.tenant]
            problems.append(Problem(f"{path}.person", unknown("person", route.person, named)))
        channel = (route.conversation or "").partition(":")[0]
        if channel and channels and channel not in channels:
            problems.append(Problem(f"{path}.conversation", unknown("channel", channel, channels)))
    return problems


def _identity_faults(people: Sequence[Person]) -> list[Problem]:
    """One account is one person, over all tenants: a press must never be two people's."""
    problems = []
    owners: dict[str, str] = {}
    for n, person in enumerate(people):
        for i, identity in enumerate(person.identities):
            path = f"person[{n}].identities[{i}]"
            if not _IDENTITY.fullmatch(identity):
                words = "Write channel:account, for example slack:T1/U1 or telegram:12345."
                problems.append(Problem(path, words))
            elif reason := SHARED_ACCOUNTS.get(identity):
                words = f"This account {reason}; it cannot be one person."
                problems.append(Problem(path, words, code="shared"))
            elif identity in owners:
                words = f"The same as {owners[identity]}; one account is one person."
                problems.append(Problem(path, words, code="duplicate"))
            owners.setdefault(identity, path)
    return problems


def _repeated(table: str, names: list[str]) -> list[Problem]:
    return [
        Problem(f"{table}[{n}].id", f"The same as {table}[{names.index(name)}].id.", "duplicate")
        for n, name in enumerate(names)
        if names.index(name) != n
    ]


def _named_and_placed(path: str, who: Tenant | Person) -> list[Problem]:
    checks: tuple[tuple[str, str | None, Callable[[str], bool], str], ...] = (
        ("id", who.id, _is_id, "Lower-case letters, digits and _ . - only, 63 at most."),
        ("name", who.name, _is_name, f"Needed: one line of {MAX_NAME} characters at most."),
        ("zone", who.zone, _is_zone, "No such time zone: write an IANA name, Europe/Berlin."),
        ("locale", who.locale, _is_locale, "No such locale: write a language tag, en or de-CH."),
    )
    return [
        Problem(f"{path}.{key}", words)
        for key, value, fits, words in checks
        if value is not None and not fits(value)
    ]


def _is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def _is_name(text: str) -> bool:
    return bool(text.strip()) and len(text) <= MAX_NAME and text.isprintable()


def _is_zone(text: str) -> bool:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: `Europe` is a folder
        return False
    return True


def _is_locale(text: str) -> bool:
    from babel.core import Locale, UnknownLocaleError

    try:
        Locale.parse(text, sep="-")
    except (UnknownLocaleError, ValueError):
        return False
    return True
