"""What a person's policy changes, what is asked of the machine, and tools that are no shells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hermes_company.domain.guard import Asked, Verdict, judge
from hermes_company.domain.policy import RULES, Level
from tests.guard.company import OUTBOX, ROOT, WORKDIR, ground, run, world


def use(tool: str, given: Mapping[str, Any], cwd: str = WORKDIR, **policy: Any) -> Verdict:
    """The verdict on any tool."""
    return judge(ground(**policy), world(), tool, given, cwd)


def rules(**levels: Level) -> dict[str, Level]:
    """All rules, some of them changed."""
    return {**RULES, **{name.replace("_", "-"): level for name, level in levels.items()}}


# What can't be understood

UNCLEAR = [
    'rm -rf "$(cat list.txt)"',
    "$(cat program) x",
    'cd "$(cat where)" && rm -rf x',
    "cat commands | sh",
    'eval "$(make-env)"',
    "rm -rf build/$(cat which)",
    "echo 'never closed",
    'echo x > "$(cat where)"',
]


@pytest.mark.parametrize("command", UNCLEAR)
def test_unclear_passes_unless_strict(command: str) -> None:
    """What can't be understood passes, and is refused where the policy is strict."""
    assert run(command).allowed
    assert run(command, strict=True).rule == "strict"


@pytest.mark.parametrize("command", ["ls -la", "pytest -q", "rm -rf build", 'echo "$(date)"', "cd src && make", "x=1; echo $x"])
def test_strict_lets_plain_work_pass(command: str) -> None:
    """Strictness is about what can't be understood, not about work."""
    assert run(command, strict=True).allowed


def test_unknown_tools_need_a_lenient_policy() -> None:
    """A tool that nobody has described passes, and is refused where the policy is strict."""
    assert use("mcp__files__write", {"path": "/etc/x"}).allowed
    assert use("mcp__files__write", {"path": "/etc/x"}, strict=True).rule == "strict"
    assert use("TodoWrite", {}, strict=True).allowed


# What a person changes


def test_a_rule_can_be_allowed_or_asked() -> None:
    """allow lets pass, refuse says no by the rule's name, ask sends it to a person."""
    assert run("git push").rule == "ask"
    assert run("git push", rules=rules(push=Level.ALLOW)).allowed
    assert run("git push", rules=rules(push=Level.REFUSE)).rule == "push"
    assert run("sudo systemctl stop x", rules=rules(privileges=Level.ALLOW)).rule == "services"
    assert run("sudo rm -rf /x", rules=rules(privileges=Level.ALLOW)).rule == "delete-outside"
    assert run("git push -f", rules=rules(push=Level.ALLOW)).rule == "force-push"


def test_asking_names_the_command() -> None:
    """What needs a yes is named as it was understood."""
    sentence = run("npm publish --tag next").sentence

    assert sentence is not None
    assert "`npm publish --tag next` needs a person's yes" in sentence.in_lang("en")
    assert "需要人同意" in sentence.in_lang("zh")


@pytest.mark.parametrize(
    ("command", "what", "folder"),
    [
        ("npm publish", "npm publish", WORKDIR),
        ("cd sub; 'np'm   \"publish\"", "npm publish", f"{WORKDIR}/sub"),
        ("(cd sub && true) && sh -c 'npm publish'", "npm publish", WORKDIR),
        ('cd "$(cat where)" && npm publish', "npm publish", None),
        ("npm publish --tag $(cat tag)", "npm publish --tag …", WORKDIR),
    ],
)
def test_what_is_asked(command: str, what: str, folder: str | None) -> None:
    """A question is about one command, with the words that it would be started with, in one folder."""
    assert run(command).asked == Asked("publish", what, folder)


def test_own_commands() -> None:
    """A person's own commands are found by program and words in their order, whatever stands between."""
    own = {"refuse": ("terraform destroy", "make deploy-*"), "ask": ("kubectl delete",)}

    assert run("terraform -chdir=x destroy -auto-approve", **own).rule == "listed"
    assert run("make -j2 deploy-prod", **own).rule == "listed"
    assert run("cd k && kubectl -n x delete pod y", **own).rule == "ask"
    assert run("terraform plan && kubectl get pods && make test", **own).allowed


def test_further_folders_can_be_opened() -> None:
    """A path in `write` is open with all below it; the more exact of two entries counts."""
    assert run("echo x > /srv/data/a", write=("workdir", "/srv/data")).allowed
    assert run("echo x > /srv/data/keep/a", write=("workdir", "/srv/data"), protect=("/srv/data/keep",)).rule == "protected"
    assert run("echo x > /srv/data/keep/mine/a", write=("/srv/data/keep/mine",), protect=("/srv/data/keep",)).allowed


def test_patterns_reach_what_they_could_stand_for() -> None:
    """A pattern is refused where it could stand for something protected, or, with all below it, for a folder around that."""
    kept = {"protect": (f"{WORKDIR}/data/keep", f"{WORKDIR}/.hidden")}

    assert run("rm -rf d*", **kept).rule == "protected"
    assert run("touch d*", **kept).allowed
    assert run("touch data/k*", **kept).rule == "protected"
    assert run("rm -rf data/x*", **kept).allowed
    assert run("rm -rf *den", **kept).allowed
    assert run("rm -rf .h*", **kept).rule == "protected"


def test_working_in_the_company_itself() -> None:
    """A ticket whose workdir is the company's own folder may change what isn't protected there, and nothing else."""

    def at_home(command: str) -> str | None:
        return judge(ground(workdir=ROOT), world(), "Bash", {"command": command}, ROOT).rule

    assert at_home("echo x > README.md && rm -rf scratch") is None
    assert at_home("rm -rf scratch/*") is None
    assert at_home("echo x > company/COMPANY.md") == "protected"
    assert at_home("rm -rf *") == "protected"
    assert at_home("rm -rf ./[ct]*") == "protected"
    assert at_home("git checkout -b x") is None
    assert at_home("cp -r ../new/. .") == "protected"
    assert at_home("find . -delete") == "protected"


def test_network_off() -> None:
    """Without network the tools that only serve for it are refused."""
    assert use("WebFetch", {"url": "https://example.com"}).allowed
    assert use("WebFetch", {"url": "https://example.com"}, network=False).rule == "network"


# What the machine is asked


def test_links_are_followed() -> None:
    """A link in the workdir doesn't lead out of it; the link itself may be deleted."""
    linked = world(links={f"{WORKDIR}/all": "/", f"{WORKDIR}/rules": f"{ROOT}/company"})

    assert run("rm -rf all/srv", machine=linked).rule == "delete-outside"
    assert run("echo x > rules/COMPANY.md", machine=linked).rule == "protected"
    assert run("cd rules && echo x > COMPANY.md", machine=linked).rule == "protected"
    assert run("cd all && cd .. && rm -rf build", machine=linked).allowed
    assert run("rm all rules", machine=linked).allowed
    assert run("rm -rf all/", machine=linked).rule == "protected"


def test_scripts_are_looked_into() -> None:
    """A shell script on the disk is judged when it is started, with its arguments; one that we can't see is a program."""
    scripts = world(scripts={f"{WORKDIR}/clean.sh": 'set -e\nrm -rf "$1"\n', f"{WORKDIR}/long.sh": "true\n" * 9_000})

    assert run("sh clean.sh build", machine=scripts).allowed
    assert run("sh clean.sh /srv", machine=scripts).rule == "delete-outside"
    assert run("./clean.sh /srv", machine=scripts).rule == "delete-outside"
    assert run(". ./clean.sh /srv", machine=scripts).rule == "delete-outside"
    assert run("sh long.sh && ls", machine=scripts).allowed
    assert run("sh long.sh && ls", machine=scripts, strict=True).rule == "strict"
    assert run("sh long.sh; rm -rf /srv", machine=scripts).rule == "delete-outside"


@pytest.mark.parametrize(
    "command",
    [
        "f() { f; }; f",
        "f() { g; }; g() { f; }; f",
        "true; " * 5_000,
        "eval " * 200 + "ls",
        "( " * 60 + "ls" + " )" * 60,
        ") ; " * 300,
    ],
)
def test_what_is_too_long_is_refused(command: str) -> None:
    """Nothing hides behind a length that nobody looks through; and the guard itself comes to an end."""
    assert run(command).rule in ("too-long", "strict")


@pytest.mark.parametrize(
    "command", ["(" * 300, "$(" * 300 + ")" * 300, "{ " * 200, "a=" * 5_000, "{a,b}" * 40, "`" * 99, "\x00\ue000\ue003"]
)
def test_strange_texts_end(command: str) -> None:
    """Whatever a model writes, the guard gives an answer."""
    run(command)


# Other tools


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_file_tools(tool: str) -> None:
    """Tools that write files are held to the same places as a shell."""
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"

    assert use(tool, {key: f"{WORKDIR}/a"}).allowed
    assert use(tool, {key: f"{OUTBOX}/summary.md"}).allowed
    assert use(tool, {key: "../co/company/COMPANY.md"}).rule == "protected"
    assert use(tool, {key: f"{ROOT}/outbox/bob/T-2/DONE"}).rule == "protected"
    assert use(tool, {key: "/etc/passwd"}).rule == "write-outside"


@pytest.mark.parametrize("tool", ["Read", "Grep", "view_image"])
def test_reading_tools(tool: str) -> None:
    """Tools that read are kept from keys."""
    key = "path" if tool != "Read" else "file_path"

    assert use(tool, {key: f"{ROOT}/company/COMPANY.md"}).allowed
    assert use(tool, {key: "/home/u/.ssh/id_ed25519"}).rule == "secrets"


def test_patches() -> None:
    """Each file of a patch is judged: added, changed, moved, deleted."""

    def patch(*lines: str) -> str | None:
        text = "\n".join(("*** Begin Patch", *lines, "*** End Patch"))
        return use("apply_patch", {"command": text}).rule

    assert patch("*** Add File: a.txt", "+x") is None
    assert patch("*** Update File: a.txt", "*** Move to: b.txt", "@@") is None
    assert patch("*** Update File: a.txt", "*** Move to: /etc/x", "@@") == "write-outside"
    assert patch("*** Delete File: /srv/x") == "delete-outside"
    assert patch("*** Add File: ok", "+x", f"*** Delete File: {ROOT}/tasks/todo/T-1.md") == "protected"
    assert use("apply_patch", {"command": "no patch"}, strict=True).rule == "strict"


def test_a_patch_may_delete_a_link() -> None:
    """Deleting a link deletes the link, wherever it leads; writing to it writes there."""
    linked = world(links={f"{WORKDIR}/out": "/srv"})
    delete, add = ("*** Delete File: out", "*** Add File: out\n+x")

    assert judge(ground(), linked, "apply_patch", {"command": delete}, WORKDIR).allowed
    assert judge(ground(), linked, "apply_patch", {"command": add}, WORKDIR).rule == "write-outside"


def test_command_of_an_unknown_tool() -> None:
    """A tool of any name that is given a command is judged by that command."""
    assert use("Monitor", {"command": "rm -rf /x"}).rule == "delete-outside"
