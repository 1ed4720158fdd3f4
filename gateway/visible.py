"""What an agent wrote, as every surface shows it: nothing hidden or pushed out of sight. Pure.

Controls, bidi controls (directional marks too) and other invisible characters become escapes such
as ⟨U+202E⟩; joiners inside emoji and marks that a script needs stay. Other text is unchanged.
"""

from __future__ import annotations

import regex

LONGEST_BLANK = 16
"""Ours: blanks in a row that are still indentation; more could push words out of sight."""

LONGEST_GAP = 3
"""Ours: blank lines in a row that are still layout."""

TAB = "    "

HIDDEN = r"[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\p{NChar}]--\p{PCM}]"
"""Characters that draw nothing: controls, formats, separators, lone surrogates, noncharacters and
Unicode's Default_Ignorable_Code_Point. Arabic number signs (PCM) are formats that are drawn."""

FLAG = r"\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]{3,6}\U000E007F"
"""The flag of a part of a country: a black flag, its code in tag characters, and the end tag."""

_PICTURE = r"[\p{ExtPict}&&\p{Emoji}]"
_JOINED = "".join(
    rf"\p{{scx={script}}}"
    for script in (
        # cursive: a joiner chooses a letter's form, or parts a word without a space (Persian)
        *("Arab", "Syrc", "Mand", "Nkoo", "Mong", "Phag", "Adlm", "Rohg", "Mani", "Sogd"),
        # with conjuncts: a joiner chooses between a half form and a ligature
        *("Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"),
        *("Khmr", "Mymr", "Tibt", "Bali", "Java", "Gran", "Tirh", "Newa", "Cakm", "Sund"),
    )
)
_UNSPACED = (
    r"[[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Java}]&&[\p{L}\p{M}]]"
)
"""Scripts that put no space between words, where U+200B says where a line may break."""

_NEEDED = "|".join(
    (
        FLAG,
        # between two pictures, perhaps after a colour mark or a skin tone: 👩‍🚀, ❤️‍🔥
        rf"(?<={_PICTURE}[\uFE0F\U0001F3FB-\U0001F3FF]?)\u200D(?={_PICTURE})",
        # ☎️ and ☎︎, and the keycap 1️⃣; on a bare digit a selector draws nothing
        r"(?<=[\p{Emoji}--[0-9#*]])[\uFE0E\uFE0F]",
        r"(?<=[0-9#*])\uFE0F(?=\u20E3)",
        # variants of ideographs, of mathematical signs, of Myanmar and Mongolian letters
        r"(?<=\p{Han})[\uFE00-\uFE02\U000E0100-\U000E01EF]",
        r"(?<=[\p{Sm}\p{Myanmar}])\uFE00",
        r"(?<=[\p{Mongolian}&&\p{L}])[\u180B-\u180F]",
        rf"(?<=[[{_JOINED}]&&[\p{{L}}\p{{M}}]--\p{{DI}}])[\u200C\u200D]",
        rf"(?<={_UNSPACED})\u200B(?={_UNSPACED})",
        # old Hangul writes a syllable without its first or middle letter with a filler
        r"\u115F(?=[\u1161-\u11A7])",
        r"(?<=[\u1100-\u115E])\u1160(?=[\u11A8-\u11FF])",
        r"(?<=[\p{Egyptian_Hieroglyphs}&&\p{Lo}])[\U00013430-\U00013440]",
    )
)
_BLANK = r"[\p{Zs}\u2800]"  # U+2800, the empty Braille cell, is drawn as a blank
_BREAK = regex.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_SHOWN = regex.compile(
    rf"(?P<needed>{_NEEDED})"
    rf"|(?P<gap>\n(?:{_BLANK}*\n){{{LONGEST_GAP + 1},}})"
    r"|(?P<line>\n)"
    rf"|(?P<hidden>{HIDDEN})"
    rf"|(?P<blanks>{_BLANK}{{{LONGEST_BLANK + 1},}})",
    regex.VERSION1,
)
_INK = regex.compile(rf"[[^\s\u2800]--{HIDDEN}]", regex.VERSION1)


def visible(text: str) -> str:
    """The text as it may be shown; lines stay lines, a tab becomes four blanks. Total."""
    if text.isascii() and text.isprintable() and " " * (LONGEST_BLANK + 1) not in text:
        return text
    return _SHOWN.sub(_show, _BREAK.sub("\n", text).replace("\t", TAB))


def one_line(text: str) -> str:
    """A label, header or name as it may be shown: `visible`, each line break a space, trimmed."""
    return visible(_BREAK.sub(" ", text)).strip()


def is_blank(text: str) -> bool:
    """Whether nothing in the text would be drawn: empty, blanks, or invisible characters alone."""
    # Most texts begin with something that is drawn, and need no look at the rest.
    return not "!" <= text[:1] <= "~" and _INK.search(text) is None


def _show(found: regex.Match[str]) -> str:
    whole = found[0]
    match found.lastgroup:
        case "gap":
            return f"\n⟨{whole.count(chr(10)) - 1} blank lines⟩\n"
        case "blanks":
            return f" ⟨{len(whole)} spaces⟩ "
        case "hidden":
            return f"⟨U+{ord(whole):04X}⟩"
        case _:
            return whole
