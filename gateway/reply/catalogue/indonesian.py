"""Indonesian: the words of replies that CLDR lacks."""

from __future__ import annotations

from gateway.reply.catalogue.entry import Catalogue, phrases, spelled

INDONESIAN = Catalogue(
    yes=phrases("ya, iya, y, betul, benar, nyala"),
    no=phrases("tidak, tdk, t, nggak, gak, enggak, salah, mati"),
    polite=phrases("tolong, mohon, silakan, terima kasih, terimakasih, makasih, trims, thanks"),
    bare=phrases(
        "oke, ok, okey, baik, baiklah, siap, setuju, sip, mantap, bagus, boleh, tentu, bukan, "
        "belum, jangan, halo, hai, hei, selamat pagi, selamat siang, selamat sore, selamat "
        "malam, pagi, siang, sore, malam, sama-sama, permisi"
    ),
    option=phrases("nomor, nomer, no., pilihan, opsi"),
    numbers=spelled(
        "satu, dua, tiga, empat, lima, enam, tujuh, delapan, sembilan, sepuluh, sebelas, dua "
        "belas, tiga belas, empat belas, lima belas, enam belas, tujuh belas, delapan belas, "
        "sembilan belas, dua puluh"
    ),
    all=phrases("semua, semuanya"),
    none=phrases("tidak ada, tidak satu pun"),
    other=phrases("lainnya, lain, yang lain"),
    text=phrases("teks"),
    skip=phrases("lewati"),
    decline=phrases("tolak"),
    approve=phrases("setujui"),
    cancel=phrases("batal, batalkan"),
    help=phrases("bantuan"),
    pending=phrases("pertanyaan tertunda"),
    back=phrases("kembali"),
    clear=phrases("mulai dari awal"),
    done=phrases("selesai"),
    days=(),
    next_weekday=phrases("{0} depan"),
    this_weekday=phrases("{0} ini"),
    ahead_days=phrases("{0} hari lagi"),
    ahead_weeks=phrases("{0} minggu lagi"),
    beside_dates=phrases("pada, hari, tanggal, tgl"),
    before_times=phrases("pukul, jam, pk"),
    after_times=(),
    offsets=(("wib", 7), ("wita", 8), ("wit", 9)),
    sent_from=phrases("dikirim dari …, terkirim dari …"),
    wrote=(("pada", "menulis"),),
)
