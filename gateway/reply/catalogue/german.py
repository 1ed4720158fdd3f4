"""German: the words of replies that CLDR lacks."""

from __future__ import annotations

from gateway.reply.catalogue.entry import Catalogue, phrases, spelled

GERMAN = Catalogue(
    yes=phrases("ja, j, wahr, an, ein"),
    no=phrases("nein, n, falsch, aus"),
    polite=phrases("bitte, danke, danke sehr, danke schön, vielen dank, merci, dankeschön"),
    bare=phrases(
        "ok, okay, jo, jep, jepp, jup, klar, alles klar, passt, gut, sehr gut, in ordnung, "
        "geht klar, einverstanden, genau, richtig, stimmt, super, prima, verstanden, nö, nee, "
        "ne, hallo, hi, hey, moin, servus, grüß gott, guten morgen, guten tag, guten abend, "
        "tschüss, gerne, bitte sehr, kein problem"
    ),
    option=phrases("option, nummer, nr., no., wahl, punkt"),
    numbers=spelled(
        "eins / eine / ein, zwei / zwo, drei, vier, fünf, sechs, sieben, acht, neun, zehn, "
        "elf, zwölf, dreizehn, vierzehn, fünfzehn, sechzehn, siebzehn, achtzehn, neunzehn, "
        "zwanzig"
    ),
    all=phrases("alle, alles"),
    none=phrases("keine, keiner, keines, keins, nichts"),
    other=phrases("anderes, andere, anderer, sonstiges, etwas anderes"),
    text=phrases("text"),
    skip=phrases("überspringen"),
    decline=phrases("ablehnen"),
    approve=phrases("genehmigen, freigeben"),
    cancel=phrases("abbrechen"),
    help=phrases("hilfe"),
    pending=phrases("offene fragen"),
    back=phrases("zurück"),
    clear=phrases("neu anfangen"),
    done=phrases("fertig"),
    days=(),
    next_weekday=phrases("nächsten {0}, nächster {0}"),
    this_weekday=phrases("diesen {0}, kommenden {0}"),
    ahead_days=(),
    ahead_weeks=(),
    beside_dates=phrases("am, den, der"),
    before_times=phrases("um"),
    after_times=phrases("uhr, h"),
    offsets=(),
    sent_from=phrases("von meinem … gesendet, gesendet von …, gesendet mit …"),
    wrote=(("am", "schrieb"),),
)
