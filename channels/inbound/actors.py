"""Who acts on an ask: a person of the config, a member of a granted place, or nobody. Pure.

The platform's own id is the only identity; names and whatever a payload claims are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from channels.capabilities import PLAIN, Capabilities
from channels.catalogue import Language, Reader
from channels.contract import Sender
from channels.words import asks
from gateway.errors import NotAllowed
from gateway.people import SHARED_IDENTITIES, People, as_caller, check_may_settle, may_see
from gateway.person import Caller, Person, Role, Tenant
from gateway.routes import Grant, Route, grant
from gateway.visible import one_line

if TYPE_CHECKING:
    from channels.contract import Destination
    from gateway.ask import Ask


@dataclass(frozen=True, slots=True)
class Actor:
    """One sender towards one ask.

    `caller` is what the broker hears. `own` reads for their eyes alone, `public` for everyone in
    the place. `account` is set where no person is behind it.
    """

    caller: Caller
    own: Reader
    public: Reader
    account: str | None = None

    def may(self, ask: Ask, *, declining: bool = True) -> bool:
        """Whether they may end that ask; `declining` is the lesser right."""
        try:
            check_may_settle(self.caller, ask, declining=declining)
        except NotAllowed:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Everyone:
    """The people, tenants and routes of the config, and what each channel can draw."""

    people: People = field(default_factory=People)
    tenants: Mapping[str, Tenant] = field(default_factory=dict)
    routes: Sequence[Route] = ()
    capabilities: Mapping[str, Capabilities] = field(default_factory=dict)

    def actor(self, sender: Sender, where: Destination, ask: Ask) -> Actor:
        """What the sender is to that ask, in that place."""
        account = f"{where.channel}:{sender.account}"
        person = self.person(sender, where)
        if person is not None and person.tenant != ask.tenant:
            person = None
        granted = Grant() if self.is_hidden(sender, where) else grant(self.routes, where.name, ask)
        caller = _caller(account, sender.shown, person, granted, ask)
        tenant = self.tenant(ask.tenant)
        own = self._reader(tenant, where, person, sees=may_see(caller, ask), name=caller.name)
        place = own if where.direct else self.place(where, ask)
        return Actor(caller, own, place, None if person or granted.answer else account)

    def place(self, where: Destination, ask: Ask) -> Reader:
        """Everyone who reads there. In a direct chat, that is its one person."""
        if where.account is not None:
            return self.actor(Sender(where.account), where, ask).own
        sees = grant(self.routes, where.name, ask).content
        return self._reader(self.tenant(ask.tenant), where, None, sees=sees, shared=True)

    def person(self, sender: Sender, where: Destination) -> Person | None:
        """Whose account it is; None for nobody's, and for one that many share."""
        if self.is_hidden(sender, where):
            return None
        return self.people.by_identity(f"{where.channel}:{sender.account}")

    def reader(self, sender: Sender, where: Destination) -> Reader:
        """The sender alone, where no ask is meant."""
        person = self.person(sender, where)
        tenant = self.tenant(person.tenant) if person else Tenant(id="", name="")
        return self._reader(tenant, where, person, sees=False)

    def is_hidden(self, sender: Sender, where: Destination) -> bool:
        """Whether the platform hides who it is behind an id that many share."""
        return sender.hidden or f"{where.channel}:{sender.account}" in SHARED_IDENTITIES

    def tenant(self, tenant_id: str) -> Tenant:
        return self.tenants.get(tenant_id) or Tenant(id=tenant_id, name=tenant_id)

    def waits_for(self, reader: Reader, ask: Ask) -> str:
        """Whose answer the ask waits for, in words."""
        named = (
            self.people.person(ask.tenant, entry) or self.people.by_identity(entry)
            for entry in ask.audience
        )
        names = [person.name for person in named if person is not None]
        return asks.waits_for(reader, self.tenant(ask.tenant).name, names)

    def _reader(
        self,
        tenant: Tenant,
        where: Destination,
        person: Person | None,
        *,
        sees: bool,
        shared: bool = False,
        name: str | None = None,
    ) -> Reader:
        platform = self.capabilities.get(where.channel, PLAIN)
        return Reader(
            language=Language((person.locale if person else None) or tenant.locale),
            zone=(person.zone if person else None) or tenant.zone,
            sees=sees,
            shared=shared,
            buttons=platform.has_controls,
            stamps=platform.stamps,
            reach=None if where.direct else platform.reach,
            name=name,
        )


def _caller(account: str, shown: str, person: Person | None, granted: Grant, ask: Ask) -> Caller:
    if granted.answer and (person is None or not _answers(person)):
        # A member of a granted place acts under the account's id; its name only stands beside it.
        member = person or Person(
            id=account,
            tenant=ask.tenant,
            name=one_line(shown) or account,
            role=Role.OPERATOR,
            content=True,
            identities=(account,),
        )
        name = f"user:{member.id}" if person else account
        return Caller(ask.tenant, Role.OPERATOR, name, content=True, person=member)
    if person is not None:
        caller = as_caller(person)
        if granted.content and not caller.content:
            return Caller(caller.tenant, caller.role, caller.name, content=True, person=person)
        return caller
    return Caller(ask.tenant, Role.READER, account, content=granted.content)


def _answers(person: Person) -> bool:
    return person.role is not Role.READER and person.content
