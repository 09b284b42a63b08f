"""Programs that reach beyond the ticket: disks, power, users, services, other processes, other people's machines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hermes_company.domain.guard.ground import Ground, Refused
from hermes_company.domain.guard.marks import matches, show
from hermes_company.domain.guard.options import names, read_options


class _Program(NamedTuple):
    """A program that a rule is about."""

    rule: str
    # First words with which it only shows something.
    harmless: tuple[str, ...] = ()
    # Whether it only shows something when it is given no words.
    shows: bool = False


def _of(rule: str, programs: str, *harmless: str, shows: bool = False) -> dict[str, _Program]:
    return {name: _Program(rule, harmless, shows) for name in programs.split()}


_PROGRAMS: dict[str, _Program] = {
    **_of("power", "shutdown reboot halt poweroff telinit pm-suspend pm-hibernate"),
    **_of("disks", "mkfs mke2fs mkswap wipefs blkdiscard cryptsetup dmsetup badblocks resize2fs tune2fs hdparm mkdosfs"),
    **_of("disks", "fdisk sfdisk cfdisk gdisk sgdisk parted", "-l", "--list"),
    **_of("disks", "mount umount swapon swapoff losetup", "-l", "-a", "--show", "--list", "--help", shows=True),
    **_of("disks", "zpool zfs mdadm diskutil lvs", "list", "status", "get", "--detail", "info"),
    **_of("disks", "lvremove lvcreate lvresize vgremove vgcreate pvremove pvcreate fsck"),
    **_of("users", "useradd userdel usermod adduser deluser addgroup delgroup groupadd groupdel groupmod"),
    **_of("users", "passwd chpasswd chsh chfn visudo vipw vigr gpasswd newusers dscl sysadminctl"),
    **_of("services", "systemctl", "status", "is-active", "is-enabled", "is-failed", "show", "cat", "help", "--version"),
    **_of("services", "service launchctl rc-service initctl", "--status-all", "list", "print", "status"),
    **_of("services", "crontab", "-l"),
    **_of("services", "at batch update-rc.d chkconfig modprobe insmod rmmod iptables ip6tables nft ufw firewall-cmd"),
    **_of("privileges", "sudo su doas pkexec run0 runuser setcap newgrp"),
    **_of(
        "engines", "claude codex gemini opencode aider cursor-agent copilot qwen goose amp", "--version", "-v", "--help", "-h"
    ),
}
_POWER_WORDS = frozenset(("reboot", "poweroff", "halt", "suspend", "hibernate", "hybrid-sleep", "kexec", "rescue", "emergency"))
_PUBLISHING = [
    line.split()
    for line in """\
npm publish
npm unpublish
yarn publish
yarn npm publish
pnpm publish
bun publish
twine upload
poetry publish
uv publish
flit publish
hatch publish
cargo publish
cargo yank
gem push
docker push
podman push
helm push
gh release
gh pr merge
gh repo delete
gh repo create
mvn deploy
dotnet nuget push
vsce publish
netlify deploy
vercel deploy
firebase deploy
fly deploy
wrangler deploy
gcloud app deploy
""".splitlines()
]
# What the company's own processes are called, for programs that end processes by their names.
_OWN_PROCESSES = ("tmux", "tmux: server", "hc", "hc run", "claude", "codex", "python", "python3", "sh", "bash", "node")
_OWN_COMMAND_LINES = ("tmux -L hermes new-session", "python3 -m hermes_company run", "python3 launcher.py", "claude --settings")
# What agents may use `hc` for: to look, and to hand in tickets. Everything else is for people; a second loop ends by itself.
_FOR_AGENTS = names("why status events cost doctor init demo run approvals")
_GROUPS = names("agent engine task review memory skill")
_FOR_AGENTS_IN_GROUPS = names("list show search explain new")
_TMUX_SHOWS = ("ls", "list-", "has", "display", "capture", "show", "info", "start-server")

NAMES = frozenset((*_PROGRAMS, "init", "kill", "pkill", "killall", "tmux", "hc"))


def check_program(ground: Ground, name: str, words: Sequence[str]) -> None:
    """Refuse a program that a rule of the policy is about.

    Raises:
        Refused: with the rule's name.
    """
    what = show(" ".join((name, *words)))
    _check_own(ground, name, words, what)
    program = _PROGRAMS.get(name) or (_PROGRAMS["mkfs"] if name.startswith(("mkfs.", "fsck.")) else None)
    first = words[0] if words else ""
    if name == "systemctl" and not _POWER_WORDS.isdisjoint(words):
        ground.forbid("power", what)
    elif name == "systemctl" and first.startswith("list-"):
        return
    elif name == "init" and first in tuple("0123456"):
        ground.forbid("power", what)
    elif name in _CHECKS:
        _CHECKS[name](ground, words, what)
    elif program and first not in program.harmless and not (program.shows and not words):
        ground.forbid(program.rule, what)
    elif _fits(_PUBLISHING, name, words):
        ground.forbid("publish", what)


def _check_own(ground: Ground, name: str, words: Sequence[str], what: str) -> None:
    """The commands that the person has listed by themselves."""
    if _fits(ground.refused, name, words):
        raise Refused("listed", what=what)
    if _fits(ground.asked, name, words):
        ground.ask("ask", what)


def _fits(commands: Sequence[Sequence[str]], name: str, words: Sequence[str]) -> bool:
    """Whether the words of one of the commands occur, in their order."""
    return any(wanted[0] == name and _occur(wanted[1:], words) for wanted in commands)


def _occur(wanted: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(any(matches(part, word) or matches(word, part) for word in rest) for part in wanted)


def _check_kill(ground: Ground, words: Sequence[str], what: str) -> None:
    # As the first word it is a signal, behind that it is everybody.
    if "-1" in words[1:]:
        ground.forbid("processes", what)


def _check_by_name(ground: Ground, words: Sequence[str], what: str) -> None:
    options = read_options(words, "suUGgPtFo")
    everybody = options.has("u", "U", "G", "user", "euid", "uid", "g", "t") or not options.operands
    if everybody or any(_hits(operand, options.has("f", "full")) for operand in options.operands):
        ground.forbid("processes", what)


def _hits(pattern: str, whole: bool) -> bool:
    """Whether a pattern of pkill finds one of the company's own processes. An unreadable one is taken to."""
    try:
        return any(re.search(pattern, name) for name in (*_OWN_PROCESSES, *(_OWN_COMMAND_LINES if whole else ())))
    except re.error:
        return True


def _check_killall(ground: Ground, words: Sequence[str], what: str) -> None:
    options = read_options(words, "suonyZ")
    if options.has("u", "user", "r", "regexp") or any(name in _OWN_PROCESSES for name in options.operands):
        ground.forbid("processes", what)


def _check_tmux(ground: Ground, words: Sequence[str], what: str) -> None:
    options = read_options(words, ("L", "S", "f", "c"), first_only=True)
    servers = options.of("L", "S")
    command = options.operands[0] if options.operands else "new-session"
    company = any(ground.socket in server for server in servers) if ground.socket else False
    if (company and not command.startswith(_TMUX_SHOWS)) or (not servers and command.startswith("kill")):
        ground.forbid("processes", what)


def _check_company(ground: Ground, words: Sequence[str], what: str) -> None:
    options = read_options(words, ("root",))
    first, second = (*options.operands, "", "")[:2]
    may = first in _FOR_AGENTS or (first in _GROUPS and second in _FOR_AGENTS_IN_GROUPS)
    if first and not may and not options.has("help", "version"):
        ground.forbid("company", what)


_CHECKS = {
    "kill": _check_kill,
    "pkill": _check_by_name,
    "killall": _check_killall,
    "tmux": _check_tmux,
    "hc": _check_company,
}
