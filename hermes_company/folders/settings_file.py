"""`company.yaml`: which folder is the company, what it is set to, and the file's first, commented form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from hermes_company.domain.settings import Budgets, EngineSettings, LearningSettings, Settings, TmuxSettings, parse_settings
from hermes_company.errors import Refusal
from hermes_company.folders.layout import MARKER, Layout
from hermes_company.folders.people_file import UnreadableFile, read_people_file
from hermes_company.folders.yaml_text import BadYaml, load_yaml
from hermes_company.wording import Lang, Text, say

_SOCKET = re.compile(r"[A-Za-z0-9_-]{1,40}")


def find_root(explicit: Path | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """The company's resolved root: `explicit` (`--root`), else `HC_ROOT`, else the nearest ancestor of `cwd` with the marker.

    Raises:
        Refusal: `company-not-found`; an explicit folder that is no company is not replaced by a guess.
    """
    named = explicit or (Path(environ["HC_ROOT"]) if environ.get("HC_ROOT") else None)
    if named is not None:
        root = (cwd / named.expanduser()).resolve()
        if not (root / MARKER).is_file():
            raise _not_found(say("{folder} holds no company.yaml.", folder=root))
        return root
    here = cwd.resolve()
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return folder
    raise _not_found(say("Neither {folder} nor a folder above it holds a company.yaml.", folder=here))


def read_settings(layout: Layout) -> Settings:
    """What `company.yaml` says.

    Raises:
        Refusal: `company-not-found`, `settings-unreadable`, `settings-unknown-key`, `settings-wrong-type`.
    """
    try:
        return parse_settings(load_yaml(read_people_file(layout.root, layout.settings_file)))
    except FileNotFoundError:
        raise _not_found(say("{folder} holds no company.yaml.", folder=layout.root)) from None
    except UnreadableFile as problem:
        raise _unreadable(problem.reason, problem.line) from None
    except BadYaml as problem:
        raise _unreadable(say("{problem}", problem=problem.problem), problem.line) from None


def socket_name(folder: str, company_id: str) -> str:
    """The name of the company's tmux server: from its folder's name where that is made of harmless characters."""
    return f"hermes-{folder if _SOCKET.fullmatch(folder) else company_id[:8]}"


def first_settings(*, name: str, lang: Lang, socket: str) -> str:
    """The text of a new `company.yaml`: three values, and every other key as a comment with its default."""
    given = {"name": name, "lang": lang}
    lines = [f"# {say('Settings of this company. A line that is commented out shows its default.').in_lang(lang)}"]
    for key, comment in _COMMENTS.items():
        lines += ["", *(f"# {line}" for line in comment.in_lang(lang).splitlines()), *_setting(key, given, socket)]
    return "\n".join(lines) + "\n"


def _setting(key: str, given: Mapping[str, str], socket: str) -> list[str]:
    if key in given:
        return [f"{key}: {_scalar(given[key])}"]
    if key == "tmux":
        rest = [f"  # {line}" for line in _defaults(TmuxSettings()) if not line.startswith("socket:")]
        return ["tmux:", f"  socket: {_scalar(socket)}", *rest]
    if key == "projects":
        return ["# projects:", "#   site: ~/src/site"]
    if key == "engines":
        return ["# engines:", "#   claude-code:", *(f"#     {line}" for line in _defaults(EngineSettings()))]
    if key == "learning":
        return ["# learning:", *(f"#   {line}" for line in _defaults(LearningSettings()))]
    if key == "prices":
        return ["# prices:", "#   claude-opus-4-5-20251101: {input: 5, cached: 0.5, cache_write: 6.25, output: 25}"]
    if key == "budgets":
        return ["# budgets:", *(f"#   {f.name}: {{tokens: 0, money: 0, at_limit: hold}}" for f in fields(Budgets))]
    return [f"# {key}: {_scalar(getattr(Settings(), key))}"]


def _defaults(section: TmuxSettings | EngineSettings | LearningSettings) -> list[str]:
    return [f"{field.name}: {_scalar(getattr(section, field.name))}" for field in fields(section)]


def _scalar(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w-]*", value) and value != "null":
        return value
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


_COMMENTS: dict[str, Text] = {
    "name": say("The company's name, as prompts and the board show it."),
    "lang": say("Language of what `hc` prints and writes: en or zh."),
    "tmux": say("The company's own tmux server and session; agents work in its windows."),
    "max_running": say("How many agents work at the same time. 0: the number of cores, at most 8."),
    "ageing_hours": say("A waiting ticket counts as one priority higher for each such span. 0: never."),
    "retries": say("How often a ticket is tried again after its agent died, before it is blocked."),
    "retry_delay_seconds": say("Pause before the first retry; it doubles with each further one."),
    "settle_seconds": say("A dropped ticket is left alone until its file has been unchanged this long."),
    "done_grace_seconds": say("How long an engine may still finish its turn after it wrote DONE."),
    "stop_grace_seconds": say("Time between asking a process to end and ending it by force."),
    "submit_seconds": say("An attempt whose engine has not reported the prompt by then is ended. 0: never."),
    "start_seconds": say("… and one whose model has not answered so long after the prompt. 0: never."),
    "quiet_minutes": say("An attempt in which nothing moves for so long is pointed out. 0: never."),
    "stuck_minutes": say("… and is ended after so long without output, report, file or processor time. 0: never."),
    "lease_seconds": say("How long a claim holds without being renewed."),
    "poll_seconds": say("The longest pause between two looks at the folders; changes are noticed earlier."),
    "timeout_minutes": say("Time limit of an attempt where neither ticket nor agent names one."),
    "draft_skill_after": say(
        "A pattern that so many accepted tickets taught is drafted as a skill for you to review. 0: never."
    ),
    "projects": say("Names for folders, so that a ticket may say `project: site` instead of a path."),
    "engines": say(
        "What an engine may do unattended. command: its program, where it is not the usual one on PATH.\n"
        "sandboxed: this machine is a sandbox (Claude refuses to work as root elsewhere).\n"
        "accept: start-up questions that you agree to (trust, bypass, api-key). max_running 0: no limit of its own."
    ),
    "learning": say(
        "distill: an engine reads the summary of each accepted ticket once more, as a ticket of its own that costs money.\n"
        "distill_owner: whose engine; empty: of the agent who did it.\n"
        "scanner: kingfisher looks for secrets besides our own rules; needs hermes-company[secrets].\n"
        "failure_days: how long the lesson of an attempt that failed is shown; 0: it leaves none."
    ),
    "currency": say("What `prices` and the money in `budgets` are counted in."),
    "prices": say(
        "What a million tokens cost, by the model's name as `hc cost` shows it.\n"
        "A model without a price is counted in tokens only."
    ),
    "budgets": say(
        "The most that a ticket, an agent a day, the company a day may use; 0: no limit. At 80 % you are told.\n"
        "at_limit: at 100 % hold what would start, or end what is at work too."
    ),
}


def _not_found(fact: Text) -> Refusal:
    return Refusal(
        "company-not-found",
        fact=fact,
        cause=say("Everything that `hc` does belongs to one company folder."),
        remedy=say("Go into it, name it with --root or HC_ROOT, or make one with `hc init`."),
    )


def _unreadable(problem: Text, line: int | None) -> Refusal:
    if line is None:
        fact = say("company.yaml was not read: {problem}.", problem=problem)
    else:
        fact = say("company.yaml, line {line}: {problem}.", line=line, problem=problem)
    return Refusal(
        "settings-unreadable",
        fact=fact,
        cause=say("The company would run by settings that nobody meant."),
        remedy=say("Correct that line in company.yaml."),
    )
