"""The words replies are made of, per language, where no library has them. Data only.

Month and day names, "and", "or", "tomorrow" and "in 3 days" come from CLDR (`language`,
`date_words`); what stands here is what CLDR lacks. A new language is one more file.
"""

from __future__ import annotations

from gateway.reply.catalogue.english import ENGLISH
from gateway.reply.catalogue.entry import Catalogue
from gateway.reply.catalogue.german import GERMAN
from gateway.reply.catalogue.indonesian import INDONESIAN
from gateway.reply.catalogue.spanish import SPANISH

__all__ = [
    "CATALOGUES",
    "ENGLISH",
    "EVERYWHERE_BARE",
    "EVERYWHERE_NO",
    "EVERYWHERE_POLITE",
    "EVERYWHERE_YES",
    "Catalogue",
]

CATALOGUES = {"en": ENGLISH, "id": INDONESIAN, "de": GERMAN, "es": SPANISH}

EVERYWHERE_YES = ("\u2705", "\U0001f44d")
EVERYWHERE_NO = ("\u274c", "\U0001f44e")
EVERYWHERE_POLITE = (
    "\U0001f44d",
    "\U0001f64f",
    "\U0001f44c",
    "\U0001f642",
    "\U0001f60a",
    ":)",
    ":-)",
)
EVERYWHERE_BARE = ("+1", "\u2764", "\U0001f44b", "\u2714", "\u2611")
