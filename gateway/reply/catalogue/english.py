"""English: the words of replies that CLDR lacks."""

from __future__ import annotations

from gateway.reply.catalogue.entry import Catalogue, phrases, spelled

ENGLISH = Catalogue(
    yes=phrases("yes, y, true, on"),
    no=phrases("no, n, false, off"),
    polite=phrases(
        "please, pls, plz, thanks, thank you, thanks a lot, many thanks, thx, ty, cheers"
    ),
    bare=phrases(
        "ok, okay, okey, k, kk, yep, yeah, yup, ya, aye, sure, sure thing, fine, alright, all "
        "right, great, good, cool, nice, perfect, awesome, agreed, right, correct, lgtm, "
        "looks good, looks good to me, sounds good, got it, will do, noted, understood, of "
        "course, definitely, absolutely, nope, nah, no way, not really, hello, hi, hey, hello "
        "there, hi there, good morning, good afternoon, good evening, morning, bye, you're "
        "welcome, youre welcome, no problem, np, hm, hmm, wow, lol"
    ),
    option=phrases("option, number, no., nr., choice"),
    numbers=spelled(
        "one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, "
        "fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty"
    ),
    all=phrases("all, all of them, everything"),
    none=phrases("none, none of them, nothing"),
    other=phrases("other, others, something else"),
    text=phrases("text"),
    skip=phrases("skip"),
    decline=phrases("decline, deny"),
    approve=phrases("approve"),
    cancel=phrases("cancel"),
    help=phrases("help"),
    pending=phrases("pending"),
    back=phrases("back"),
    clear=phrases("clear"),
    done=phrases("done"),
    days=(("day after tomorrow", 2), ("the day after tomorrow", 2)),
    next_weekday=phrases("next {0}"),
    this_weekday=phrases("this {0}, this coming {0}, coming {0}"),
    ahead_days=phrases("{0} days from now, {0} day from now"),
    ahead_weeks=phrases("{0} weeks from now, {0} week from now"),
    beside_dates=phrases("on, the, of"),
    before_times=phrases("at"),
    after_times=phrases("h, hrs, hours, o'clock"),
    offsets=(),
    sent_from=phrases("sent from my …, sent from mail …, sent from outlook …, get outlook for …"),
    wrote=(("on", "wrote"),),
)
