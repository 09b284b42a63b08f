"""Reading windows: from the bottom, and what is above may quote anything."""

from __future__ import annotations

import pytest

from hermes_company.engines.picture import rows, text_of, typed
from hermes_company.engines.screens import SCREENS
from hermes_company.ports.screens import Shown

GREY, PLAIN, FAINT, BOLD, OFF = "\x1b[38;5;246m", "\x1b[39m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
RULE = f"{GREY}{'─' * 60}"
FOOT = f"{PLAIN}  ⏵⏵ bypass permissions on · esc to interrupt"
MENU = "❯ 1. Yes, I trust this folder\n  2. No, exit"


def claude(body: str, foot: str = FOOT, above: str = "● Hello") -> str:
    """A window of Claude Code with that in its composer."""
    return f"{above}\n\n{RULE}\n{PLAIN}{body}\n{RULE}\n{foot}\n\n\n"


def codex(body: str, foot: str = "  model · /tmp\n  ? for shortcuts   Vim: Insert", above: str = "• Hello") -> str:
    """A window of Codex with that in its composer."""
    return f"{BOLD}{FAINT}› {OFF}an earlier prompt\n\n{above}\n\n{BOLD}›{OFF} {body}{OFF}\n\n{foot}\n"


COMPOSERS = [
    (claude("❯\xa0\x1b[7m \x1b[0m"), Shown.READY),
    (claude(f"❯\xa0{GREY}Press up to edit queued messages"), Shown.READY),
    (claude(f'❯\xa0{FAINT}Try "edit app.py"{OFF}'), Shown.READY),
    (claude("❯\xa0half a sent\x1b[7m \x1b[0m"), Shown.DRAFT),
    (claude("❯\xa0\n  second line only"), Shown.DRAFT),
    (claude("❯\xa0[Pasted text #1 +66 lines]"), Shown.DRAFT),
    (claude("!\xa0"), Shown.DRAFT),
    (claude("❯\xa0", foot="  -- NORMAL --"), Shown.COMMANDS),
    (claude("❯\xa0", foot="  -- INSERT --"), Shown.READY),
    (claude("❯\xa0", above=MENU), Shown.READY),
    (claude("❯\xa0", above="● You've hit your limit · resets 2am\n" + MENU), Shown.READY),
    (claude("❯\xa0see @wo", foot="+ world.txt\n+ work/"), Shown.DRAFT),
]
CODEX_COMPOSERS = [
    (codex(f"{FAINT}Ask Codex to do anything"), Shown.READY),
    (codex("half a sent"), Shown.DRAFT),
    (codex("[Pasted Content 4713 chars]"), Shown.DRAFT),
    (codex("a\n\n\n  b"), Shown.DRAFT),
    (codex("\n  second line only"), Shown.DRAFT),
    (codex(f"{FAINT}Ask Codex to do anything", above=MENU.replace("❯", "›")), Shown.READY),
    (codex(f"{FAINT}Ask Codex", foot="  model · /tmp\n  ? for shortcuts   Vim: Normal"), Shown.COMMANDS),
    (codex("x").replace(f"{BOLD}›{OFF} x", "! echo"), Shown.DRAFT),
]


@pytest.mark.parametrize(("picture", "shown"), COMPOSERS)
def test_claude_composers(picture: str, shown: Shown) -> None:
    """Grey is nobody's word; whatever is not, is; a quoted menu above is none."""
    assert SCREENS["claude-code"].look(picture).shown is shown


@pytest.mark.parametrize(("picture", "shown"), CODEX_COMPOSERS)
def test_codex_composers(picture: str, shown: Shown) -> None:
    """The bright prompt is the composer's, a faint one is history; a quoted menu above is none."""
    assert SCREENS["codex"].look(picture).shown is shown


def menu(says: str, *choices: str, below: str = "Enter to confirm") -> str:
    """A dialog, its first answer under the cursor."""
    answers = "\n".join(f" {' ' if n else '❯'} {n + 1}. {choice}" for n, choice in enumerate(choices))
    return f"{'─' * 80}\n {says}\n\n{answers}\n\n {below}\n\n"


DIALOGS = [
    (menu("Choose the text style that looks best", "Auto", "Dark", below="\n".join("d" * 9)), "onboarding"),
    (menu("Accessing workspace:", "Yes, I trust this folder", "No, exit"), "trust"),
    (menu("Detected a custom API key in your environment", "Yes", "No"), "api-key"),
    (menu("WARNING: Claude Code running in Bypass Permissions mode", "No, exit", "Yes, I accept"), "bypass"),
    (menu("Select login method:", "Claude account", "Console account"), "login"),
    (menu("✨ Update available! 0.171.0 -> 0.172.0", "Update now", "Skip"), "update"),
    (menu("What do you want to do?", "Stop and wait for limit to reset", "Upgrade"), "limit"),
    (menu("New MCP server found in .mcp.json: x", "Use this MCP server", "Skip"), "servers"),
    (menu("Bash command\n rm -rf x\n Do you want to proceed?", "Yes", "No"), "permission"),
    (menu("Something quite new", "This", "That"), "unknown"),
]


@pytest.mark.parametrize("engine", SCREENS)
@pytest.mark.parametrize(("picture", "name"), DIALOGS)
def test_dialogs_are_named(engine: str, picture: str, name: str) -> None:
    """Each is told by its own words; one that we have no name for is a dialog all the same."""
    for sign in ("❯", "›", ">"):
        look = SCREENS[engine].look(picture.replace("❯", sign))
        assert (look.shown, look.dialog) == (Shown.DIALOG, name)
        assert look.asks is not None


@pytest.mark.parametrize("engine", SCREENS)
@pytest.mark.parametrize(
    "picture",
    [
        "",
        "\n\n\n",
        "$ make test\n1. one\n2. two\n",
        "❯ 1. only one choice\n",
        menu("Accessing workspace:", "Yes, I trust this folder", "No, exit") + "a line\n" * 13,
        "── TASK-1/1 has ended; this window waits ──",
        "\x1b[38;2;1;2;3m\x1b]0;title\x07 starting…\x1b(B",
        "─" * 80,
    ],
)
def test_what_is_neither_is_unknown(engine: str, picture: str) -> None:
    """Without a composer and without a choice at the bottom nothing is claimed."""
    assert SCREENS[engine].look(picture).shown is Shown.UNKNOWN


def test_grey_is_told_from_colours() -> None:
    """Faint, dark and grey characters are hints; a colour, also of a background, makes none. It lasts over line ends."""
    picture = f"a{GREY}b\nc{PLAIN}d\x1b[90me\x1b[31mf\x1b[38;5;211mg\x1b[48;5;246mh{OFF}\x1b[38;2;90;90;95mi\x1b[38;2;90;9;9mj"

    assert [text_of(row) for row in rows(picture)] == ["ab", "cdefghij"]
    assert [typed(row) for row in rows(picture)] == ["a", "dfghj"]
