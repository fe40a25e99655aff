"""The catalogues: whole, in the words of card players, and chosen as the reader wants."""

from __future__ import annotations

import ast
import re
from datetime import date
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from werkzeug.datastructures import MultiDict

from database import db
from forms import Form
from language import LANGUAGES, say
from rules.problem import problem

ROOT = Path(__file__).parents[2]
TRANSLATED = LANGUAGES[1:]
FOUR = ("Ada", "Bruno", "Chiara", "Dmitri")
KEYWORDS = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "problem": (1,),
    "counted_problem": (1, 2),
    "_wrong": (1,),
}
PLACES = re.compile(r"%\((\w+)\)[sd]")

BANNED = {
    "ro": r"\btruc(uri|ul|urile)?\b|\bcostum|\bpunte\b|\bpoart[ăa]\b|\bofert|urmeze exemplul|înființat|marcatorul",
    "hr": r"\btrik|\btrgov|\bdistributer|\bpalub|\bodijel|\bkartic|\bponud|\btulum|adrenal|urezivanj|\bdeck\b",
    "pl": r"\bsztuczk|\bpokład|\bbramk|\bkrupier|\bsprzedaw|\bstawk|\bofert|\bręk[aię]\b|\bustawiać\b|och piekło",
    "hi": r"ट्रिक|\bचाल\b|सूट|निपटाए|नेतृत्व|सामना",
    "es": r"\btrucos?\b|\btrajes?\b|\bcubierta|\bcomerciante|\boferta",
    "en": r"\brounds?\b|\bmatch(es)?\b|\bschedule|\baccount\b|\badmin\b",
}
"""Words of machines, not of card players, from a list that card players made."""

SAID = {
    "ro": {
        "hearts": "cupă",
        "spades": "pică",
        "diamonds": "caro",
        "clubs": "treflă",
        "no trump": "fără atu",
        "Trump": "Atu",
    },
    "hr": {
        "hearts": "herc",
        "spades": "pik",
        "diamonds": "karo",
        "clubs": "tref",
        "no trump": "bez aduta",
        "Trump": "Adut",
    },
    "pl": {
        "hearts": "kier",
        "spades": "pik",
        "diamonds": "karo",
        "clubs": "trefl",
        "no trump": "bez atu",
        "Trump": "Atut",
    },
    "hi": {
        "hearts": "पान",
        "spades": "हुकुम",
        "diamonds": "ईंट",
        "clubs": "चिड़ी",
        "no trump": "बिना तुरुप",
        "Trump": "तुरुप",
    },
    "es": {
        "hearts": "corazones",
        "spades": "picas",
        "diamonds": "diamantes",
        "clubs": "tréboles",
        "no trump": "sin triunfo",
    },
}
"""What players of these languages call the suits and the trump."""


def catalogue(language):
    """The catalogue of a language, as its translator left it."""
    with (ROOT / "translations" / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=language)


def entries(language):
    """The entries of a catalogue: the English forms and their translations."""
    for message in catalogue(language):
        if message.id:
            many = isinstance(message.id, tuple)
            yield (
                message,
                (message.id if many else (message.id,)),
                (message.string if many else (message.string,)),
            )


@pytest.fixture(scope="module")
def sentences():
    """Every sentence that the code says with its context, mostly none, as it is extracted for translators."""
    lines = re.findall(r"^\[(\w+): (.+)\]$", (ROOT / "babel.cfg").read_text(), re.MULTILINE)
    methods = [(pattern, method) for method, pattern in lines]
    options = {
        pattern: {"extensions": "jinja2.ext.i18n"} for pattern, method in methods if method == "jinja2"
    }
    return {
        (found[2], found[4])
        for found in extract_from_dir(
            ROOT, methods, options, KEYWORDS, directory_filter=lambda path: ".venv" not in path
        )
    }


def test_no_file_is_forgotten(sentences):
    """Whatever the code objects to anywhere is among the sentences that translators get."""
    known = {text for each, _context in sentences for text in ((each,) if isinstance(each, str) else each)}
    said = {}
    for file in (path for folder in (".", "forms", "views", "rules") for path in ROOT.glob(f"{folder}/*.py")):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Constant):
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in KEYWORDS.keys() - {"pgettext"}:
                said[call.args[0].value] = file.name
    assert len(said) > 100
    assert not {text: file for text, file in said.items() if text not in known}


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_is_left_in_english(language, sentences):
    """Each sentence of the code has its entry, each entry all its plural forms, and none is a guess."""
    known = set()
    for message, _english, translated in entries(language):
        assert not message.fuzzy, message.id
        assert all(translated), message.id
        known.add((message.id, message.context))
    assert not sentences - known, "make messages, then translate these"
    assert not known - sentences, "make messages drops these"


def forms(base=Form):
    """Every form there is, those of one hand aside, which are made for its seats."""
    for form in base.__subclasses__():
        yield form
        yield from forms(form)


def objections(form, typed):
    """What a form says to the same typed into each of its fields."""
    filled = form(MultiDict({field.name: typed for field in form()} if typed is not None else {"act": ""}))
    Form.validate(filled)
    return {str(text) for field in filled for text in field.errors if isinstance(text, str)}


@pytest.mark.parametrize("typed", [None, "", "x", "x" * 3000, "-1", "3000000", "2026-02-30"])
def test_no_form_speaks_english_to_who_reads_otherwise(app, typed):
    """Whatever is typed or left out, all that is objected to is said in the reader's language."""
    heard = {}
    for language in LANGUAGES:
        with app.test_request_context(headers={"Accept-Language": language}):
            heard[language] = [objections(form, typed) for form in forms()]
    assert any(heard["en"])
    for language in TRANSLATED:
        for english, said in zip(heard["en"], heard[language], strict=True):
            assert len(english) == len(said)
            assert not english & said, language


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_value_is_lost_on_the_way(language):
    """A translation has the places of the English sentence and no others; the number alone may go unsaid."""
    for _message, english, translated in entries(language):
        wanted = {place for form in english for place in PLACES.findall(form)}
        always = set.intersection(*(set(PLACES.findall(form)) for form in english))
        for form in translated:
            places = set(PLACES.findall(form))
            assert places <= wanted, form
            assert always - {"num"} <= places or len(translated) > 1, form
            assert form.count("%") == len(PLACES.findall(form)) + 2 * form.count("%%"), form


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_those_of_card_players(language, sentences):
    """No word of a machine, and the suits as the table calls them."""
    banned = re.compile(BANNED[language], re.IGNORECASE)
    if language == "en":
        said = [form for each, _context in sentences for form in ((each,) if isinstance(each, str) else each)]
    else:
        said = [form for _message, _english, translated in entries(language) for form in translated]
        by_english = {english[0]: translated[0] for _message, english, translated in entries(language)}
        for english, wanted in SAID[language].items():
            assert by_english[english] == wanted
    assert not [form for form in said if banned.search(PLACES.sub("", form))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_game_is_played_in_every_language(language, phone, table, sentences):
    """Each page of a game speaks the language alone: no English sentence is left between its words."""
    phone.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    english = {
        each
        for each, _context in sentences
        if isinstance(each, str) and "%" not in each and len(each.split()) > 2
    }
    if language != "en":
        same = {
            message.id for message, _english, translated in entries(language) if message.id == translated[0]
        }
        english -= same
    seen = []

    def look():
        assert phone.page.html["lang"] == language
        text = phone.text
        seen.extend(each for each in english if each in text)

    table.start(*FOUR, dealer=3, order="own", plan="3,2", hook=True, trump="turned", no_trump_on="never")
    look()
    table.trump("hearts")
    look()
    table.bid(1, 0, 1, 0)
    look()
    table.over()
    look()
    table.took(1, 0, 2, 0)
    look()
    for page in ("", "/rules", "/table", "/log", "/board", "/hands/1", "/hands/1/correct", "/delete"):
        phone.get(f"/g/{table.code}{page}")
        look()
    for page in ("/", "/new", "/settings", "/rules", "/house-rules/new"):
        phone.get(page)
        look()
    phone.get("/nowhere", 404)
    look()
    assert bool(seen) is (language == "en"), seen


@pytest.mark.pages
@pytest.mark.parametrize(
    ("asked", "language", "month"),
    [
        ("pl", "pl", "listopada"),
        ("hr-HR,en;q=0.5", "hr", "studenoga"),
        ("sv, ro;q=0.7, en;q=0.3", "ro", "noiembrie"),
        ("hi-IN", "hi", "नवंबर"),
        ("es-AR", "es", "noviembre"),
        ("sv", "en", "November"),
        ("", "en", "November"),
        ("xx-!!,*", "en", "November"),
    ],
)
def test_the_browser_says_which_language(asked, language, month, phone, table):
    """The first language that there is a catalogue for, whichever the country; dates are written as people there do."""
    phone.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = asked
    table.start(*FOUR, dealer=3, order="own", plan="1", trump="untracked").play((1, 0, 0, 0), (1, 0, 0, 0))
    with phone.client.application.app_context():
        table.game().played_on = date(2026, 11, 20)
        db.session.commit()
    assert phone.get(f"/g/{table.code}").html["lang"] == language
    assert month in phone.text


@pytest.mark.pages
def test_one_few_and_many_are_told_apart(phone, table):
    """Polish has a form for one, one for two to four, and one for five."""
    phone.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "pl"
    table.start(*FOUR, order="own", plan="1,2,5", trump="none")
    said = []
    for cards in (1, 2, 5):
        said.append(re.search(rf"\b{cards} (kart\w*)", phone.text)[1])
        if cards < 5:
            table.play((cards, 0, 0, 0), (cards, 0, 0, 0))
    assert said == ["karta", "karty", "kart"]


@pytest.mark.pages
def test_a_phone_speaks_what_was_chosen_on_it(phone, other_phone, table):
    """Pages, mistakes, what goes along without a network and the home screen: all in it, on this phone alone."""
    table.start(*FOUR, order="own", plan="1,1", trump="none")
    game = f"/g/{table.code}"
    phone.post("/settings", {"language": "hr"})
    for path, status in (
        ("/", 200),
        (game, 200),
        (f"{game}/board", 200),
        ("/g/nowhere", 404),
        ("/offline", 200),
    ):
        assert phone.get(path, status).html["lang"] == "hr"
        linked = any("/settings" in link["href"] for link in phone.page.select("a[href]"))
        assert linked, f"{path} leads to where the language is changed"
    assert phone.client.get("/manifest.webmanifest").json["name"] == "Blok za bodove"
    told = phone.client.get(f"{game}/offline.json").json
    assert (told["locale"], told["parts"]["word-none"]) == ("hr", "bez aduta")
    refused = phone.client.post("/new", data={"do": "start"}, headers={"Origin": "http://localhost"})
    assert refused.status_code == 422
    assert "<title>Greška: Nova partija" in refused.text
    assert other_phone.get(game).html["lang"] == "en"


@pytest.mark.pages
def test_a_name_that_runs_against_the_sentence_is_kept_apart(app):
    """In a sentence of the rules there is no `<bdi>`, so two characters nobody sees stand around the name."""
    with app.test_request_context():
        assert say(problem("%(name)s is at the table already", name="Ada")) == "Ada is at the table already."
        said = say(problem("%(name)s is at the table already", name="ברונו"))
        assert said == "\u2068ברונו\u2069 is at the table already."
