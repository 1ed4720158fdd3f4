"""Spanish: the words of replies that CLDR lacks."""

from __future__ import annotations

from gateway.reply.catalogue.entry import Catalogue, phrases, spelled

SPANISH = Catalogue(
    yes=phrases("sí, s, verdadero, cierto, encendido, activado"),
    no=phrases("no, n, falso, apagado, desactivado"),
    polite=phrases("por favor, porfa, gracias, muchas gracias, mil gracias"),
    bare=phrases(
        "ok, okey, vale, de acuerdo, bueno, bien, muy bien, está bien, perfecto, claro, claro "
        "que sí, por supuesto, correcto, exacto, entendido, dale, genial, estupendo, hola, "
        "buenas, buenos días, buenas tardes, buenas noches, de nada, adiós, para nada, ni "
        "hablar"
    ),
    option=phrases("opción, número, núm., nro., no., alternativa"),
    numbers=spelled(
        "uno / una / un, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, "
        "doce, trece, catorce, quince, dieciséis, diecisiete, dieciocho, diecinueve, veinte"
    ),
    all=phrases("todos, todas, todo"),
    none=phrases("ninguno, ninguna, nada"),
    other=phrases("otro, otra, otros, otras, otra cosa"),
    text=phrases("texto"),
    skip=phrases("omitir"),
    decline=phrases("rechazar, denegar"),
    approve=phrases("aprobar"),
    cancel=phrases("cancelar"),
    help=phrases("ayuda"),
    pending=phrases("preguntas pendientes"),
    back=phrases("atrás"),
    clear=phrases("empezar de nuevo"),
    done=phrases("terminado"),
    days=(),
    next_weekday=phrases("próximo {0}, {0} próximo, {0} que viene"),
    this_weekday=phrases("este {0}"),
    ahead_days=phrases("en {0} días, en {0} día"),
    ahead_weeks=phrases("en {0} semanas, en {0} semana"),
    beside_dates=phrases("el, de, del"),
    before_times=phrases("a las, a la"),
    after_times=phrases("h, hrs, horas"),
    offsets=(),
    sent_from=phrases("enviado desde mi …, enviado desde outlook …, obtén outlook para …"),
    wrote=(("el", "escribió"),),
)
