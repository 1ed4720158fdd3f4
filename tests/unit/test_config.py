"""The settings: what a file and the environment come to, and every fault in words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.config import Bind, Config, ConfigError, load
from gateway.person import Role

FOLDER = Path("/etc/oz")
HOME = {"HOME": "/home/ana", "PATH": "/bin"}

KEVIN = """
[[person]]
id = "kevin"
name = "Kevin"
role = "operator"
"""


def read(text: str = "", environ: dict[str, str] | None = None) -> Config:
    return load(text, HOME | (environ or {}), folder=FOLDER)


def faults(text: str = "", environ: dict[str, str] | None = None) -> dict[str, str]:
    """What is refused, as path → words."""
    with pytest.raises(ConfigError) as refused:
        read(text, environ)
    return {problem.path: problem.message for problem in refused.value.problems}


def test_nothing_set_is_a_loopback_gateway_with_its_own_engine() -> None:
    """Without a file: this machine only, the embedded engine, the XDG folder, one tenant."""
    config = read()
    assert config.gateway.bind == Bind("127.0.0.1", 8337)
    assert config.gateway.bind.loopback
    assert config.gateway.redis is None
    assert config.gateway.fsync == "always"
    assert config.gateway.partitions == 16
    assert config.gateway.retention == timedelta(days=30)
    assert config.gateway.data == Path("/home/ana/.local/share/oz-gateway")
    assert [tenant.id for tenant in config.tenants] == ["default"]
    assert config.people == ()


def test_a_whole_file_is_read() -> None:
    """Every table and key arrives as its type."""
    config = read("""
        [gateway]
        bind = "0.0.0.0:80"
        data = "state"
        redis = "redis+sentinel://:pw@one:26379,two:26379/oz"
        fsync = "everysec"
        partitions = 4
        retention = "12h"
        wait_for_replicas = false
        allowed_hosts = ["OZ.internal"]
        allow_private_webhooks = ["Hooks.internal"]
        console_url = "https://oz.example.com/"
        body_bytes = 70000

        [[tenant]]
        id = "acme"
        name = "Acme"
        zone = "Europe/Berlin"
        locale = "de-CH"

        [[person]]
        id = "kevin"
        tenant = "acme"
        name = "Kevin"
        role = "admin"
        content = true
        email = "kevin@acme.example"
        locale = "id"
        zone = "Asia/Jakarta"
        identities = ["slack:T1/U1", "telegram:42"]
    """)
    settings = config.gateway
    assert settings.bind == Bind("0.0.0.0", 80)  # noqa: S104 - what the file says
    assert not settings.bind.loopback
    assert settings.data == Path("/etc/oz/state")
    assert settings.redis is not None
    assert settings.redis.get_secret_value().startswith("redis+sentinel://:pw@one")
    assert (settings.fsync, settings.partitions) == ("everysec", 4)
    assert settings.retention == timedelta(hours=12)
    assert not settings.wait_for_replicas
    assert {"localhost", "oz.internal", "oz.example.com"} <= settings.hosts
    assert settings.may_reach_private("hooks.INTERNAL")
    assert not settings.may_reach_private("other.internal")
    assert settings.console_url == "https://oz.example.com"
    assert config.tenants[0].zone == "Europe/Berlin"
    [kevin] = config.people
    assert (kevin.role, kevin.content, kevin.tenant) == (Role.ADMIN, True, "acme")
    assert kevin.identities == ("slack:T1/U1", "telegram:42")


def test_the_environment_wins_over_the_file() -> None:
    """Each variable takes the place of its key; an empty one is as if unset."""
    config = read(
        '[gateway]\nbind = "127.0.0.1:1"\ndata = "file"\nfsync = "everysec"',
        {
            "OZ_BIND": "[::1]:9000",
            "OZ_DATA": "~/oz",
            "OZ_REDIS_URL": "redis://host/0",
            "OZ_FSYNC": "",
            "OZ_CONSOLE_URL": "http://console:8080",
        },
    )
    assert config.gateway.bind == Bind("::1", 9000)
    assert config.gateway.data == Path("/home/ana/oz")
    assert config.gateway.redis is not None
    assert config.gateway.redis.get_secret_value() == "redis://host/0"
    assert config.gateway.fsync == "everysec"
    assert "console" in config.gateway.hosts


def test_the_xdg_folder_is_used_when_absolute() -> None:
    """A relative XDG folder is ignored, as its specification says."""
    assert read(environ={"XDG_DATA_HOME": "/data"}).gateway.data == Path("/data/oz-gateway")
    ignored = read(environ={"XDG_DATA_HOME": "data"}).gateway.data
    assert ignored == Path("/home/ana/.local/share/oz-gateway")


def test_without_any_home_the_folder_must_be_said() -> None:
    """A gateway does not guess where data may lie."""
    with pytest.raises(ConfigError, match=r"gateway\.data: Needed"):
        load("", {}, folder=FOLDER)


def test_a_variable_of_ours_that_nobody_knows_is_refused() -> None:
    """A misspelt variable is named, with the one that was meant; others' are left alone."""
    words = faults(environ={"OZ_REDISURL": "redis://x", "OZONE": "1"})
    assert words == {"OZ_REDISURL": "There is no such variable. Did you mean OZ_REDIS_URL?"}
    read(environ={"OZ_TOKEN": "t", "OZ_URL": "u", "OZ_CONFIG": "c"})


def test_unknown_keys_are_refused_with_the_one_meant() -> None:
    """At every level, by path."""
    words = faults(
        '[gatway]\n[gateway]\npartitons = 3\n[[tenant]]\nid = "a"\nname = "A"\ntz = "UTC"\n'
        '[[person]]\nid = "k"\nname = "K"\nrole = "owner"\nemial = "k@a"'
    )
    assert words == {
        "gatway": "There is no such key. Did you mean gateway?",
        "gateway.partitons": "There is no such key. Did you mean partitions?",
        "tenant[0].tz": "There is no such key. Known here: id, name, locale, zone.",
        "person[0].emial": "There is no such key. Did you mean email?",
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('bind = "8337"', "Write host:port"),
        ('bind = "host:99999"', "Write host:port"),
        ('bind = ":8337"', "Write host:port"),
        ('bind = "http://host:1"', "Write host:port"),
        ("bind = 8337", "Write host:port"),
        ('redis = "localhost:6379"', "begins with one of redis://"),
        ('redis = "http://x"', "begins with one of redis://"),
        ('redis = "redis://:a/b@host:6379/0"', "are written %2F"),
        ('redis = "redis://host:99999"', "are written %2F"),
        ('redis = "redis://host/first"', "are written %2F"),
        ('redis = "redis://"', "are written %2F"),
        ('redis = "unix://"', "are written %2F"),
        ('redis = "redis+sentinel://one,two:x/oz"', "are written %2F"),
        ('data = ""', "Write the folder's path"),
        ('data = "~ben/oz"', "Write the folder's path"),
        ('fsync = "no"', "'always' or 'everysec'"),
        ("partitions = 0", "greater than or equal to 1"),
        ("partitions = 257", "less than or equal to 256"),
        ('partitions = "16"', "valid integer"),
        ("partitions = true", "valid integer"),
        ('retention = "30"', "A wait is written like"),
        ("retention = 30", "A wait is written like"),
        ('wait_for_replicas = "yes"', "valid boolean"),
        ('allowed_hosts = "one"', "Write a list"),
        ('allow_private_webhooks = "one"', "Write true, false, or the hosts"),
        ("allow_private_webhooks = [1]", "Write true, false, or the hosts"),
        ('console_url = "oz.example.com"', "Write the whole address"),
        ('console_url = "ftp://oz.example.com"', "Write the whole address"),
        ('console_url = "https://me:pw@oz.example.com"', "Write the whole address"),
        ('console_url = "https://[oz"', "Write the whole address"),
        ('console_url = "https://oz:99999"', "Write the whole address"),
        ("body_bytes = 1", "greater than or equal to 65536"),
    ],
)
def test_a_wrong_value_is_refused_by_its_key(line: str, said: str) -> None:
    """Every key has its bounds, and says what to write."""
    [(path, words)] = faults(f"[gateway]\n{line}").items()
    assert path == f"gateway.{line.split(' ', maxsplit=1)[0]}"
    assert said in words


def test_all_faults_come_at_once() -> None:
    """One start shows everything there is to mend, file and environment."""
    words = faults('[gateway]\npartitions = 0\nx = 1\n[[person]]\nid = "k"', {"OZ_FSYNC": "no"})
    assert set(words) == {
        "gateway.partitions",
        "gateway.x",
        "OZ_FSYNC",
        "person[0].name",
        "person[0].role",
    }


def test_what_is_no_toml_or_no_table_is_said() -> None:
    """The parser's place, and which tables there are."""
    with pytest.raises(ConfigError, match=r"Not TOML: .*line 2"):
        read("[gateway]\nbind = \n")
    assert set(faults(f"x = {'9' * 5000}")) == set(faults(f"x = {'[' * 5000}")) == {""}
    assert faults("gateway = 3") == {
        "gateway": "Write a table: [gateway], [[tenant]], [[person]], [[route]]."
    }
    assert "Write a list" in faults("person = 4")["person"]
    assert "Write a table" in faults("person = [4]")["person[0]"]


def test_a_person_of_the_only_tenant_need_not_name_it() -> None:
    """With one tenant, or none written, it is understood; with two it is asked for."""
    assert read(KEVIN).people[0].tenant == "default"
    one = '[[tenant]]\nid = "acme"\nname = "Acme"\n'
    assert read(one + KEVIN).people[0].tenant == "acme"
    two = one + '[[tenant]]\nid = "bolt"\nname = "Bolt"\n'
    assert faults(two + KEVIN) == {"person[0].tenant": "Needed, and missing."}


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        ('role = "agent"', "role", "An agent is a token"),
        ('role = "boss"', "role", "Input should be"),
        ('id = "Kevin"', "id", "Lower-case letters"),
        ('name = " "', "name", "Needed"),
        ('name = "a\\nb"', "name", "one line"),
        ('zone = "Europe"', "zone", "No such time zone"),
        ('zone = "../etc"', "zone", "No such time zone"),
        ('locale = "xx"', "locale", "No such locale"),
        ('locale = "de_CH!"', "locale", "No such locale"),
        ('email = "kevin"', "email", "Not an address"),
        ('tenant = "defalt"', "tenant", "Did you mean default?"),
        ('identities = ["T1/U1"]', "identities[0]", "Write channel:account"),
        ('identities = ["slack: U1"]', "identities[0]", "Write channel:account"),
    ],
)
def test_a_person_is_checked_whole(change: str, path: str, said: str) -> None:
    """Ids, names, zones, locales, addresses, tenants and identities have to make sense."""
    key = change.split(" ", maxsplit=1)[0]
    lines = [line for line in KEVIN.splitlines() if not line.startswith(f"{key} =")]
    [(found, words)] = faults("\n".join([*lines, change])).items()
    assert found == f"person[0].{path}"
    assert said in words


def test_one_account_is_one_person() -> None:
    """An identity twice, in one person or two, over tenants or not, is refused."""
    two = (
        '[[tenant]]\nid = "a"\nname = "A"\n[[tenant]]\nid = "b"\nname = "B"\n'
        '[[person]]\nid = "k"\ntenant = "a"\nname = "K"\nrole = "owner"\n'
        'identities = ["slack:T1/U1"]\n'
        '[[person]]\nid = "k"\ntenant = "b"\nname = "K"\nrole = "owner"\n'
        'identities = ["discord:1", "slack:T1/U1"]\n'
    )
    same = "The same as person[0].identities[0]; one account is one person."
    assert faults(two) == {"person[1].identities[1]": same}
    twice = KEVIN + 'identities = ["slack:T1/U1", "slack:T1/U1"]'
    assert faults(twice) == {"person[0].identities[1]": same}


@pytest.mark.parametrize("account", ["1087968824", "136817688", "777000"])
def test_an_account_that_hides_people_cannot_be_a_person(account: str) -> None:
    """Telegram's shared ids are refused, with what they are."""
    words = faults(KEVIN + f'identities = ["telegram:{account}"]')
    assert "it cannot be one person" in words["person[0].identities[0]"]
    read(KEVIN + f'identities = ["discord:{account}"]')


def test_ids_are_told_apart() -> None:
    """Two people of one tenant, or two tenants, with one id are refused."""
    assert faults(KEVIN + KEVIN) == {"person[1].id": "The same as person[0].id."}
    tenant = '[[tenant]]\nid = "a"\nname = "A"\n'
    assert faults(tenant + tenant) == {"tenant[1].id": "The same as tenant[0].id."}


@pytest.mark.parametrize(
    "text",
    [
        '[gateway]\nredis = "ftp://:hunter2@host"',
        '[gateway]\nredis = ["redis://:hunter2@host"]',
        '[gateway]\nredis = "redis://:hunter2@host"\npartitions = 0',
        *(
            f'[gateway]\nredis = "{scheme}://{user}:{secret}@host/0"'
            for scheme in ("redis", "rediss+cluster", "redis+sentinel", "unix")
            for user in ("", "me")
            for secret in (
                "hunter2/x",
                "12/hunter2",
                "hunter2#x",
                "12#hunter2",
                "12?hunter2",
                "[hunter2",
            )
        ),
    ],
)
def test_a_password_is_in_no_message(text: str) -> None:
    """Neither a refusal nor the settings' own text shows what a Redis address holds."""
    with pytest.raises(ConfigError) as refused:
        read(text)
    assert "hunter2" not in f"{refused.value!r} {refused.value.problems}"
    assert refused.value.__cause__ is None
    assert "hunter2" not in repr(read('[gateway]\nredis = "redis://:hunter2@host"'))


@pytest.mark.parametrize(
    ("written", "folder"),
    [("~", "/home/ana"), ("~/oz", "/home/ana/oz"), ("oz/~", f"{FOLDER}/oz/~")],
)
def test_the_data_folder_may_be_under_the_home_folder(written: str, folder: str) -> None:
    """As a shell reads it; anything else is relative to the file."""
    assert read(f'[gateway]\ndata = "{written}"').gateway.data == Path(folder)


@pytest.mark.parametrize("key", ["allowed_hosts", "allow_private_webhooks"])
def test_a_host_that_could_never_match_is_refused(key: str) -> None:
    """Hosts are compared without scheme and port, and no star stands for many."""
    for host in ("oz.example.com:8337", "https://oz.example.com", "*", "*.example.com", "", "a b"):
        [words] = faults(f'[gateway]\n{key} = ["{host}"]').values()
        assert "Write names alone" in words
    own = faults('[gateway]\nallowed_hosts = ["bücher.example"]')
    assert "xn--" in own["gateway.allowed_hosts[0]"]
    for host in ("oz.example.com", "OZ", "10.0.0.7", "::1", "a_b.internal"):
        taken = read(f'[gateway]\n{key} = ["{host}"]').gateway
        assert [one.lower() for one in getattr(taken, key)] == [host.lower()]


@pytest.mark.parametrize("host", ["one", "one:1", "[::1]:1", ":pw@one", "me:p%2Fw%40@one:1"])
def test_a_redis_address_that_the_store_opens_is_taken(host: str) -> None:
    """With and without a port, a user, a database, options and, for Sentinel, many hosts."""
    for address in (
        f"redis://{host}",
        f"rediss://{host}/3?ssl_cert_reqs=none",
        f"redis+cluster://{host}/",
        f"redis+sentinel://{host},two:26379/oz/3?sentinel_username=me&sentinel_password=p",
        "unix:///run/redis.sock?db=1",
        "unix://me:pw@/run/redis.sock",
    ):
        assert read(f'[gateway]\nredis = "{address}"').gateway.redis is not None


@given(st.text(max_size=200))
def test_any_text_reads_or_is_refused(text: str) -> None:
    """Whatever a file holds, the outcome is settings or a refusal in words."""
    try:
        load(text, HOME, folder=FOLDER)
    except ConfigError as refused:
        assert refused.problems


@given(
    st.dictionaries(
        st.sampled_from(["gateway", "tenant", "person"]),
        st.recursive(
            st.integers() | st.booleans() | st.text(st.characters(codec="ascii"), max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["id", "name", "role", "bind", "data", "redis", "identities"]),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=8,
        ),
    )
)
def test_any_shape_reads_or_is_refused(tables: dict[str, object]) -> None:
    """Known keys with values of any shape never end in a traceback."""
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in tables.items())
    try:
        load(text, HOME, folder=FOLDER)
    except ConfigError as refused:
        assert refused.problems


def _toml(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case list():
            return f"[{', '.join(map(_toml, value))}]"
        case dict():
            pairs = ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items())
            return f"{{{pairs}}}"
    text = "".join(f"\\u{ord(character):04x}" for character in str(value))
    return f'"{text}"'
