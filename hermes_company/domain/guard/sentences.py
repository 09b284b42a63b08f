"""What an agent is told when the guard refuses: the rule, what it is about, and what it can do instead."""

from __future__ import annotations

from collections.abc import Mapping

from hermes_company.domain.guard.ground import Refused
from hermes_company.wording import Text, say

_SENTENCES: Mapping[str, Text] = {
    "protected": say(
        "{path} belongs to the company: agents don't change it. Leave it as it is; if the ticket calls for a change there, "
        "describe it in your summary."
    ),
    "write-outside": say("{path} lies outside of what you may change ({roots}). Write into one of those folders instead."),
    "delete-outside": say("{path} lies outside of what you may change ({roots}). Delete only what you made there."),
    "delete-root": say(
        "That would delete a whole folder in which tickets are worked on: {path}. Delete what is in it by name."
    ),
    "secrets": say(
        "{path} holds keys or passwords. Do without it; if the ticket can't be done then, write BLOCKED with the reason."
    ),
    # Who asks the person says more.
    "ask": say("`{what}` needs a person's yes."),
    "listed": say("`{what}` is on the company's list of commands that agents don't run. Find another way, or write BLOCKED."),
    "disks": say("`{what}`: agents don't touch disks and mounts. Find another way, or write BLOCKED with what you need."),
    "power": say("`{what}`: agents don't switch machines off or restart them. If it has to be done, write BLOCKED."),
    "users": say("`{what}`: agents don't change users and passwords. If it has to be done, write BLOCKED."),
    "services": say(
        "`{what}`: agents don't change the machine's services. Start what you need as a plain process, or write BLOCKED."
    ),
    "privileges": say("`{what}`: agents work with the rights that they have. Find a way without more, or write BLOCKED."),
    "processes": say("`{what}` could end processes that aren't yours. End your own ones by their number: `kill PID`."),
    "company": say(
        "`{what}` is for people. Agents look with `hc status`, `hc why` and `hc task show` and make tickets with `hc task "
        "new`; anything else that you want goes into your summary."
    ),
    "engines": say(
        "`{what}`: no agent starts another one by itself. Do the work yourself; for help, describe a ticket in your summary."
    ),
    "force-push": say(
        "`{what}` would rewrite or delete what others have. Keep it in a branch of its own, and write down what a person has "
        "to do."
    ),
    "push": say("`{what}`: nothing leaves this machine. Commit it, and write down in your summary that it has to be pushed."),
    "publish": say(
        "`{what}`: nothing is published from here. Prepare it, and write down in your summary what a person has to run."
    ),
    "download-and-run": say(
        "`{what}` would run what another machine sends, unseen. Save it to a file, read it, then run the file."
    ),
    "unseen": say("`{what}` would wait for commands that nobody checks. Give it its commands: `{what} -c '…'`, or a script."),
    "network": say(
        "The company works without network. Do it with what is on this machine, or write BLOCKED with what you need."
    ),
    "strict": say(
        "It can't be told what this does: {what}. Write it plainly: whole paths, no computed commands, one step at a time."
    ),
    "too-long": say("That is too much to be looked through. Split it up into several smaller commands."),
}
RULES = frozenset(_SENTENCES)


def sentence(refused: Refused) -> Text:
    """The whole sentence for a refusal."""
    reason = Text(_SENTENCES[refused.rule].template, refused.values)
    return say("Refused by the company's rules ({rule}). {reason}", rule=refused.rule, reason=reason)
