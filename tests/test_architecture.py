"""What the whole project keeps to, read from its own files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("gateway/**/*.py"), *ROOT.glob("channels/**/*.py")])
EVERYTHING = sorted([*SOURCES, *ROOT.glob("tests/**/*.py"), *ROOT.glob("bench/**/*.py")])

CEILING = 450
"""Lines of one file; past it a file has two subjects."""

ESSAYS = {"gateway/errors.py"}
"""Modules that open with more than five lines: the errors, with their tree."""

VAGUE = {"common", "data", "helper", "helpers", "manager", "misc", "util", "utils"}
"""Names that say nothing of what is in a module."""

HEAVY = {
    "aiohttp",
    "asyncio",
    "babel",
    "gateway.broker",
    "gateway.config",
    "hiredis",
    "prometheus_client",
    "pydantic",
    "redis",
    "regex",
    "uvloop",
    "yaml",
}
"""What `oz0 --help` must not wait for."""

CLOCKS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}

DISTRIBUTIONS = {
    "babel": "babel",
    "botbuilder": "botbuilder-integration-aiohttp",
    "botframework": "botbuilder-integration-aiohttp",
    "confusable_homoglyphs": "confusable-homoglyphs",
    "cryptography": "pyjwt",
    "discord": "discord.py",
    "jwt": "pyjwt",
    "prometheus_client": "prometheus-client",
    "pytest_asyncio": "pytest-asyncio",
    "slack_bolt": "slack-bolt",
    "slack_sdk": "slack-bolt",
    "telegram": "python-telegram-bot",
    "yaml": "pyyaml",
}
"""Distributions whose module has another name."""


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[str]:
    """Top-level names of what a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def tracked() -> list[Path]:
    """Every text file of the repository; outside one, every file of these folders."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else map(short, EVERYTHING)
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_imports_point_one_way() -> None:
    """The rules in pyproject.toml hold for every import."""
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_no_file_is_too_long() -> None:
    """A file is read in one sitting; an exception is written down with its reason."""
    lengths = {short(path): len(path.read_text("utf-8").splitlines()) for path in EVERYTHING}
    too_long = {name for name, lines in lengths.items() if lines > CEILING}
    assert too_long == set()


def test_modules_are_named_for_what_they_hold() -> None:
    """No file is called after nothing in particular."""
    vague = [short(path) for path in EVERYTHING if {path.stem, path.parent.name} & VAGUE]
    assert vague == []


def test_every_module_says_what_it_is() -> None:
    """A docstring of at most five lines opens each module of the product."""
    for path in SOURCES:
        text = path.read_text("utf-8")
        if text.strip():
            said = ast.get_docstring(ast.parse(text))
            assert said, f"{short(path)} has no docstring"
            if short(path) not in ESSAYS:
                assert len(said.splitlines()) <= 5, f"{short(path)} opens with an essay"


def test_only_the_command_line_reads_the_environment() -> None:
    """Settings are passed in, so that what a test gives is all there is."""
    readers = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "environb" | "getenv"):
                    readers.add(short(path))
                case ast.ImportFrom(module="os", names=names):
                    if {"environ", "environb", "getenv"} & {alias.name for alias in names}:
                        readers.add(short(path))
    assert {name for name in readers if not name.startswith("gateway/cli/")} == set()


def test_every_log_line_is_an_event() -> None:
    """`gateway.log.event` writes every line, so that no line can hold content."""
    plain = set()
    calls = {"critical", "debug", "error", "exception", "info", "log", "warning"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="_log" | "logger"), attr=name)):
                    plain |= {short(path)} if name in calls else set()
    assert plain == {"gateway/log.py"}


def pure_modules() -> list[Path]:
    """The files of the modules that pyproject.toml calls values and rules."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    [rule] = [
        contract
        for contract in tools["importlinter"]["contracts"]
        if contract["name"].startswith("Values and rules")
    ]
    places = [name.replace(".", "/") for name in rule["source_modules"]]
    return [path for path in SOURCES if short(path).removesuffix(".py").startswith(tuple(places))]


def test_values_and_rules_read_no_clock() -> None:
    """Time is given; the import rules see to the other ways of not being pure."""
    looked = pure_modules()
    assert len(looked) > 20
    for path in looked:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id=owner), attr=name):
                    assert (owner, name) not in CLOCKS, f"{short(path)}:{node.lineno}"


def test_no_tracked_file_names_a_place_on_a_machine() -> None:
    """A home folder or a workspace in a file works for one person only."""
    place = re.compile(r"(?<![\w.~:/-])/(?:home|root|Users|work|mnt)/[A-Za-z0-9_]\S*")
    allowed = {"/home/ana"}  # the tests' own person
    found = [
        f"{short(path)}: {hit}"
        for path in tracked()
        for hit in place.findall(path.read_text("utf-8", "replace"))
        if not hit.startswith(tuple(allowed))
    ]
    assert found == []


def test_every_import_is_a_declared_dependency() -> None:
    """What the product imports is in pyproject.toml, not something that happens to be there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for name, extra in project["optional-dependencies"].items():
        wanted += extra if name != "dev" else []
    declared = {re.split(r"[\[<>=;! ]", line, maxsplit=1)[0].lower() for line in wanted}
    known = set(sys.stdlib_module_names) | {"gateway", "channels"}
    missing = {
        f"{short(path)}: {name}"
        for path in SOURCES
        for name in set(imported(path)) - known
        if DISTRIBUTIONS.get(name, name) not in declared
    }
    assert missing == set()


@pytest.mark.parametrize("extra", ["", "embedded", "dev"])
def test_every_dependency_is_pinned(extra: str) -> None:
    """What `make` installs is what was tested: each has its line in constraints.txt."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    names = {re.split(r"[\[<>=;! ]", line, maxsplit=1)[0].lower() for line in wanted}
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line}
    assert names - pinned - {"oz-gateway"} == set()
    assert all(re.fullmatch(r"[a-z0-9.-]+==[\w.]+", line) for line in lines if line[:1] != "#")


def test_the_command_line_starts_light() -> None:
    """`oz0 --help` imports nothing that it does not need."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "gateway.cli", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "gateway.cli.app" in loaded
    assert HEAVY & loaded == set()


def test_every_test_says_what_is_true() -> None:
    """Each test has a docstring, and its name is a sentence."""
    for path in ROOT.glob("tests/**/test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match(
                "test_", node.name
            ):
                where = f"{short(path)}: {node.name}"
                assert ast.get_docstring(node), f"{where} says nothing"
                assert node.name.count("_") >= 3, f"{where} is no sentence"
