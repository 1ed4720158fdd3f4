"""`oz0 approval` against one real gateway; each word of it once in a process of its own."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import COLOURS, TYPED, Gateway

HUMAN = {"question": "Which market first?", "options": ["SMB", "Enterprise"]}
TARGETS = {
    "questions": [
        {
            "id": "deploy_target",
            "header": "Target",
            "question": "Where should it go?",
            "options": [{"label": "Staging (Recommended)"}, {"label": "Production"}],
        },
        {
            "id": "regions",
            "header": "Regions",
            "question": "Which regions?",
            "options": [{"label": "eu"}, {"label": "us", "description": "both coasts"}],
            "multiSelect": True,
        },
    ]
}


def test_the_list_shows_what_is_asked_and_the_command_that_answers_it(up: Gateway) -> None:
    """Choices stand in brackets, typed fields as names and kinds, and each has its command."""
    job = up.run()
    first = up.ask(job, COLOURS)
    second = up.ask(job, TYPED, call_id="c2")
    done = up.oz0("approval", "list", "--job", job)
    assert done.returncode == 0, done.stderr
    assert (
        f"Which colour should the report use? [red / blue]\n  oz0 approval answer {job} {first} "
        in (done.stdout)
    )
    assert "and how many copies? {on: date, copies: number}" in done.stdout
    command = f"""oz0 approval answer {job} {second} '{{"on": "YYYY-MM-DD", "copies": 0}}'"""
    assert f"  {command}   (or deny)" in done.stdout.splitlines()


def test_a_list_that_is_cut_says_that_more_wait(up: Gateway) -> None:
    """`--limit` bounds the list, oldest first, and the JSON says whether more wait."""
    job = up.run()
    asks = [up.ask(job, COLOURS, call_id=f"c{n}") for n in range(3)]
    told = up.json("approval", "list", "--job", job, "--limit", "2")
    assert [ask["id"] for ask in told["asks"]] == asks[:2]
    assert told["more"] is True
    assert "More wait" in up.here("approval", "list", "--job", job, "--limit", "2").stdout
    assert up.json("approval", "list", "--job", job)["more"] is False


def test_an_empty_list_says_that_nothing_waits(up: Gateway) -> None:
    """Silence could mean anything, so it is said."""
    assert up.here("approval", "list", "--job", up.run()).stdout == "Nothing waits for an answer.\n"


def test_a_label_answers_and_the_agent_reads_it(up: Gateway) -> None:
    """`oz0 approval answer job-… a-… blue`, as in the original."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    done = up.oz0("approval", "answer", job, ask, "blue")
    assert (done.returncode, done.stdout) == (0, "Got it: blue.\n"), done.stderr
    assert up.result(ask) == "The answer: blue"
    outcome = up.json("approval", "show", job, ask)["ask"]["outcome"]
    assert (outcome["by"], outcome["surface"]) == ("owner:admin", "cli")


@pytest.mark.parametrize("words", ["3", "1", "Blue.", "green", ""])
def test_what_is_no_label_is_refused_and_the_choices_are_not_told(up: Gateway, words: str) -> None:
    """On the command line a number picks nothing; the refusal holds no choice; the ask waits."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    done = up.here("approval", "answer", job, ask, words)
    assert done.returncode == 1
    assert done.stderr.startswith("oz0: ")
    assert "red" not in done.stderr
    assert "blue" not in done.stderr.replace(words, "")
    assert up.json("approval", "show", job, ask)["ask"]["status"] == "pending"


def test_one_json_object_answers_a_typed_question(up: Gateway) -> None:
    """The values are checked, and the agent reads one object in the fields' order."""
    job = up.run()
    ask = up.ask(job, TYPED)
    refused = up.here("approval", "answer", job, ask, '{"copies": 12}')
    assert refused.returncode == 1
    assert "  on: " in refused.stderr
    assert "1 to 9" in refused.stderr
    words = up.here("approval", "answer", job, ask, "tomorrow, two copies")
    assert words.returncode == 1
    assert words.stderr.splitlines()[1].startswith(f"oz0 approval answer {job} {ask} ")
    done = up.here("approval", "answer", job, ask, '{"copies": 2, "on": "2026-10-20"}')
    assert done.returncode == 0, done.stderr
    assert up.result(ask) == 'The answer: {"on": "2026-10-20", "copies": 2}'


def test_a_dash_reads_the_answer_from_standard_input(up: Gateway) -> None:
    """Long answers need no quoting; the last line break is the shell's, not the person's."""
    job = up.run()
    ask = up.ask(job, {"question": "What should the letter say?"})
    letter = 'Dear "Ana",\n\nit is $5 — ünd 別.'
    done = up.oz0("approval", "answer", job, ask, "-", stdin=f"{letter}\n")
    assert done.returncode == 0, done.stderr
    assert up.result(ask) == f"The answer: {letter}"


def test_numbers_keep_every_digit(up: Gateway) -> None:
    """What was given as JSON is passed on as it stands."""
    fields = [{"name": "n", "kind": "number", "required": True}]
    job = up.run()
    ask = up.ask(job, {"question": "How many?", "fields": fields})
    refused = up.here("approval", "answer", job, ask, '{"n": 1e400}')
    assert refused.returncode == 1
    done = up.here("approval", "answer", job, ask, '{"n": 9007199254740993}')
    assert done.returncode == 0, done.stderr
    assert up.result(ask) == 'The answer: {"n": 9007199254740993}'


def test_several_questions_take_labels_and_own_words(up: Gateway) -> None:
    """`ask_user`: one object by id, a list where several may be picked."""
    job = up.run()
    ask = up.ask(job, TARGETS, tool="ask_user")
    page = up.here("approval", "show", job, ask).stdout
    assert "  - us: both coasts\n  - or your own words\n" in page
    answer = {"deploy_target": "on my machine", "regions": ["us", "eu"]}
    done = up.here("approval", "answer", job, ask, json.dumps(answer))
    assert done.returncode == 0, done.stderr
    answers = {"deploy_target": ["on my machine"], "regions": ["eu", "us"]}
    assert up.result(ask) == {"status": "answered", "answers": {"answers": answers}}


def test_one_question_with_several_picks_takes_a_list_or_one_label(up: Gateway) -> None:
    """A list is JSON; a label is itself."""
    only = {"questions": [TARGETS["questions"][1]]}
    for given, read in (('["us", "eu"]', ["eu", "us"]), ("us", ["us"])):
        job = up.run()
        ask = up.ask(job, only, tool="ask_user")
        done = up.here("approval", "answer", job, ask, given)
        assert done.returncode == 0, done.stderr
        assert up.result(ask)["answers"]["answers"] == {"regions": read}


def test_a_decline_says_who_and_why(up: Gateway) -> None:
    """`deny` on a question declines it; the agent reads who, and the reason with one full stop."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    done = up.here("approval", "deny", job, ask, "--comment", "ask Ana.")
    assert (done.returncode, done.stdout) == (0, "Declined.\n"), done.stderr
    assert up.result(ask) == "owner:admin declined to answer: ask Ana."


def test_what_a_contract_does_not_offer_is_refused_in_words(up: Gateway) -> None:
    """`ask_a_human` is neither declined nor skipped; the command that answers is shown."""
    job = up.run()
    ask = up.ask(job, HUMAN, tool="ask_a_human")
    for word in ("deny", "skip"):
        done = up.here("approval", word, job, ask)
        assert done.returncode == 1
        assert done.stderr.splitlines()[1] == f'oz0 approval answer {job} {ask} "..."'
    other = up.run()
    skipped = up.ask(other, TARGETS, tool="ask_user")
    done = up.here("approval", "skip", other, skipped)
    assert (done.returncode, done.stdout) == (0, "Skipped.\n"), done.stderr
    assert up.result(skipped) == {"status": "no_answer"}


def test_an_approval_is_approved_or_denied_and_never_answered(up: Gateway) -> None:
    """`answer` cannot approve a tool call by mistake."""
    job = up.run()
    asks = []
    for n in range(2):
        body = {"kind": "approval", "prompt": "Refund 40 EUR?", "call_id": f"c{n}"}
        asks.append(up.call("POST", f"/v1/runs/{job}/asks", body).body["ask"]["id"])
    listed = up.here("approval", "list", "--job", job).stdout
    assert f"  Refund 40 EUR?\n  oz0 approval approve {job} {asks[0]}   (or deny)\n" in listed
    refused = up.here("approval", "answer", job, asks[0], "yes")
    assert refused.returncode == 1
    assert f"oz0 approval approve {job} {asks[0]}" in refused.stderr
    done = up.here("approval", "approve", job, asks[0], "--comment", "as agreed")
    assert (done.returncode, done.stdout) == (0, "Approved.\n"), done.stderr
    denied = up.here("approval", "deny", job, asks[1], "--comment", "too much")
    assert (denied.returncode, denied.stdout) == (0, "Denied.\n"), denied.stderr
    assert up.result(asks[0]) == {"approved": True, "by": "owner:admin", "reason": "as agreed"} | (
        {"status": "answered"}
    )
    assert up.result(asks[1])["approved"] is False


def test_who_comes_too_late_hears_who_was_first(up: Gateway) -> None:
    """The one outcome stands, and the second is told it in words and in JSON."""
    job = up.run()
    ask = up.ask(job, COLOURS)
    assert up.oz0("approval", "answer", job, ask, "blue").returncode == 0
    late = up.here("approval", "answer", job, ask, "red", "--json")
    assert late.returncode == 1
    assert late.stderr.startswith("oz0: Too late: owner:admin answered: blue (")
    told = json.loads(late.stdout)
    assert (told["code"], told["outcome"]["answer"]) == ("already_settled", "blue")
    assert up.result(ask) == "The answer: blue"


def test_an_ask_is_named_with_its_run(up: Gateway) -> None:
    """Unknown ids, and a pair that does not belong together, are refused; nothing is answered."""
    job, other = up.run(), up.run()
    ask = up.ask(job, COLOURS)
    for first, second in ((other, ask), (job, "a-000000000000"), (job, "../../healthz")):
        done = up.here("approval", "answer", first, second, "blue")
        assert done.returncode == 1, done.stdout
        assert done.stderr.startswith("oz0: ")
    assert up.result(ask) is None


def test_an_operator_without_content_declines_and_does_not_answer(up: Gateway) -> None:
    """They see that a question waits, not the question; they may only decline it."""
    token = up.here("token", "make", "blind", "--role", "operator").stdout.strip()
    job = up.run()
    ask = up.ask(job, COLOURS)
    listed = up.here("approval", "list", "--job", job, OZ_TOKEN=token)
    assert "colour" not in listed.stdout
    assert f"  oz0 approval deny {job} {ask}\n" in listed.stdout
    answered = up.here("approval", "answer", job, ask, "blue", OZ_TOKEN=token)
    assert answered.returncode == 1
    assert up.here("approval", "deny", job, ask, OZ_TOKEN=token).returncode == 0
    assert up.result(ask) == "operator:blind declined to answer."


def test_a_person_answers_in_their_own_name(up: Gateway) -> None:
    """A token bound to a person records the person."""
    made = up.here("token", "make", "kevin-laptop", "--person", "kevin", "--content")
    job = up.run()
    ask = up.ask(job, COLOURS)
    done = up.here("approval", "answer", job, ask, "red", OZ_TOKEN=made.stdout.strip())
    assert done.returncode == 0, done.stderr
    shown = up.here("approval", "show", job, ask).stdout
    assert "user:kevin answered: red, " in shown


def test_what_an_agent_wrote_cannot_steer_the_terminal(up: Gateway) -> None:
    """Control and bidi characters are shown as escapes, in lists and pages alike."""
    job = up.run()
    evil = {"question": "Delete?\x1b[2J\u202e", "choices": ["no\x1b]0;x\x07", "yes"]}
    ask = up.ask(job, evil)
    for command in (("approval", "list", "--job", job), ("approval", "show", job, ask)):
        shown = up.here(*command).stdout
        assert "Delete?⟨U+001B⟩[2J⟨U+202E⟩" in shown
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
