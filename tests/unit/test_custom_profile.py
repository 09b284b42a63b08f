"""`custom` in profile.json: what is read, and what is refused before anything starts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.domain.agent import Agent
from hermes_company.domain.custom import PLACEHOLDERS, CustomCommand, DoneRule, fill, placeholders
from hermes_company.folders.profile_json import BadProfile, parse_profile, render_profile

COMMAND = ["tool", "--session", "{session_id}", "{prompt}"]


def profile(custom: object, **more: object) -> str:
    """The text of a profile with that command."""
    return json.dumps({"name": "ann", "engine": "custom", "custom": custom, **more}, indent=1)


def refused(text: str) -> BadProfile:
    """Why the profile can't be used."""
    with pytest.raises(BadProfile) as raised:
        parse_profile("ann", text)
    return raised.value


def test_command_is_read() -> None:
    """Every key arrives; what is left out has its default."""
    whole = {"command": COMMAND, "resume": ["tool", "-r", "{session_id}"], "env": {"A_B": "c d", "E": ""}, "done": "exit"}

    assert parse_profile("ann", profile(whole)).custom == CustomCommand(
        command=tuple(COMMAND),
        resume=("tool", "-r", "{session_id}"),
        env={"A_B": "c d", "E": ""},
        done=DoneRule.EXIT,
    )
    assert parse_profile("ann", profile({"command": ["t", "{prompt}"]})).custom == CustomCommand(command=("t", "{prompt}"))


def test_profile_is_written_as_it_is_read() -> None:
    """What `hc agent add` writes is the agent again, without what is the default anyway."""
    custom = CustomCommand(command=("t", "{prompt_file}"), env={"A": "b"})
    agent = Agent(name="ann", engine="custom", custom=custom)

    text = render_profile(agent)
    assert parse_profile("ann", text) == agent
    assert json.loads(text)["custom"] == {"command": ["t", "{prompt_file}"], "env": {"A": "b"}}


def test_agents_of_other_engines_have_none() -> None:
    """The key is for engine `custom` only, and that engine needs it."""
    assert parse_profile("ann", '{"name": "ann", "engine": "shell"}').custom is None
    assert "engine is shell" in str(refused(profile({"command": COMMAND}, engine="shell")).reason)
    assert "`custom` is missing" in str(refused('{"name": "ann", "engine": "custom"}').reason)


@pytest.mark.parametrize(
    ("custom", "said"),
    [
        ([], "`custom` is […], not an object"),
        ({}, "`custom.command` is missing"),
        ({"command": []}, "a list of words, the program first"),
        ({"command": "tool {prompt}"}, "a list of words, the program first"),
        ({"command": ["tool", 1, "{prompt}"]}, "a list of words, the program first"),
        ({"command": ["tool", "", "{prompt}"]}, "a list of words, the program first"),
        ({"command": ["tool", "a\0b", "{prompt}"]}, "a list of words, the program first"),
        ({"command": ["tool", "\ud800", "{prompt}"]}, "a list of words, the program first"),
        ({"command": ["tool"]}, "tells it nothing"),
        ({"command": ["tool", "{{prompt}}"]}, "tells it nothing"),
        ({"command": ["{workdir}/x", "{prompt}"]}, "begins with {workdir}/x"),
        ({"command": ["tool", "{prompt}"], "resume": ["tool", "{session_id}"]}, "never told the program"),
        ({"command": ["tool", "{prompt}", "{model}"]}, "need each other"),
        ({"command": COMMAND, "done": "done"}, "DONE or exit"),
        ({"command": COMMAND, "done": ["exit"]}, "DONE or exit"),
        ({"command": COMMAND, "env": ["A"]}, "no secrets"),
        ({"command": COMMAND, "env": {"A": 1}}, "no secrets"),
        ({"command": COMMAND, "env": {"A B": "c"}}, "no secrets"),
        ({"command": COMMAND, "env": {"HC_ROOT": "/elsewhere"}}, "none that begins with HC_"),
        ({"command": COMMAND, "env": {"A": "b\0"}}, "no secrets"),
    ],
)
def test_unfit_command_is_refused(custom: object, said: str) -> None:
    """Each mistake is named where the profile is read, not when a ticket is started."""
    assert said in str(refused(profile(custom)).reason)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_TOKEN", "NOTE"])
def test_secrets_are_refused_and_not_repeated(name: str) -> None:
    """A key that was put into the profile is refused without showing it."""
    problem = refused(profile({"command": COMMAND, "env": {name: "sk-proj-4f9aK2mQ8xW1zR7tB5nL"}}))

    assert "no secrets" in str(problem.reason)
    assert "4f9a" not in str(problem)


def test_model_and_args_are_not_ignored_in_silence() -> None:
    """What would have no effect is refused: a model that no word names, words that are added to nothing."""
    assert "need each other" in str(refused(profile({"command": COMMAND}, model="m")).reason)
    assert "`custom.command`" in str(refused(profile({"command": COMMAND}, args=["-v"])).reason)


@pytest.mark.parametrize(
    ("custom", "line", "guess"),
    [
        ({"comand": COMMAND}, 5, "`command`"),
        ({"command": COMMAND, "envs": {}}, 11, "`env`"),
        ({"command": ["tool", "{promt}"]}, 5, "`prompt`"),
        ({"command": ["tool", "{sesion_id}", "{prompt}"]}, 5, "`session_id`"),
    ],
)
def test_misspelt_words_are_answered_with_a_guess(custom: object, line: int, guess: str) -> None:
    """A key or a placeholder that we don't know comes with its line and with what was probably meant."""
    problem = refused(profile(custom))

    assert problem.line == line
    assert guess in str(problem.remedy)
    assert "custom" in str(problem.reason)


def test_line_is_that_of_the_inner_key() -> None:
    """A key that the profile has twice, outside and inside of `custom`, is found where the mistake is."""
    text = '{"name": "ann", "engine": "custom",\n"env": ["A"],\n"custom": {"command": ["t", "{prompt}"],\n"env": {"A": 1}}}'

    assert refused(text).line == 4


PLAIN = st.text(st.characters(exclude_characters="{}"), max_size=20)
VALUES = {name: f"<{name}>" for name in PLACEHOLDERS}


@given(PLAIN, st.sampled_from(PLACEHOLDERS), PLAIN, st.text(max_size=20))
def test_filling_touches_nothing_but_placeholders(before: str, name: str, after: str, value: str) -> None:
    """Text around a placeholder stays as it is, and what is put in its place is not looked at again."""
    assert fill(f"{before}{{{name}}}{after}", {name: value}) == f"{before}{value}{after}"
    assert placeholders(f"{before}{{{name}}}{after}") == [name]


def test_doubled_braces_are_single_ones() -> None:
    """A word in braces that is meant as it stands is written with two; JSON needs nothing."""
    assert fill('{{prompt}} {"a": {"b": {}}} {A} { x }', VALUES) == '{prompt} {"a": {"b": {}}} {A} { x }'
