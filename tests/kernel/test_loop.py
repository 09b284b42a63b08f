"""The loop: a ticket's way from todo to review, and every way it may go wrong."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_company.domain.agent import AgentStatus
from hermes_company.domain.budget import Hold
from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.settings import EngineSettings, Settings
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.run_files import RunFiles
from hermes_company.wording import say
from tests.support.kernel_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company with one agent, ann."""
    return Rig(tmp_path)


def test_a_ticket_goes_from_todo_to_review(rig: Rig) -> None:
    """Dropped, claimed, started, DONE, ended, moved: each with its event."""
    rig.drop("T-1", "---\nowner: ann\n---\n# Do it\n")
    rig.tick()
    assert rig.where("T-1") is State.DOING
    assert rig.agents.reported["ann"] == (AgentStatus.BUSY, "T-1")

    rig.finish("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW
    assert rig.agents.reported["ann"] == (AgentStatus.IDLE, None)
    assert not rig.workers.survivors(rig.history("T-1")[0].token)
    attempt = rig.history("T-1")[0]
    assert (attempt.outcome, attempt.phase, attempt.moved_to) == (Outcome.FINISHED, Phase.CLOSED, State.REVIEW)
    told = [kind for kind in rig.kinds() if kind != "attempt.receipt"]
    assert told == ["ticket.added", "ticket.moved", "attempt.started", "ticket.moved", "attempt.closed"]


def test_the_ticket_carries_who_has_it_and_nothing_else_changes(rig: Rig) -> None:
    """While it runs our block names the agent; the person's bytes come back exactly without it."""
    text = "---\ntitle: x # mine\nowner: ann\nodd:   [1,  2]\n---\n\nbody"
    rig.drop("T-1", text)
    rig.tick()

    marked = rig.layout.ticket("T-1", State.DOING).read_text(encoding="utf-8")

    assert 'locked_by: "hc"' in marked
    assert 'agent: "ann"' in marked
    assert marked.replace(marked[marked.index("runtime:") : marked.index("---\n\nbody")], "") == text


def test_done_without_the_end_of_the_turn_gets_its_grace(rig: Rig) -> None:
    """An engine that wrote DONE may finish its turn; after the grace it is ended all the same."""
    rig.drop("T-1")
    rig.tick()
    (rig.outbox("T-1") / "summary.md").write_text("yes", encoding="utf-8")
    (rig.outbox("T-1") / "DONE").touch()
    rig.tick(3, seconds=1)
    assert rig.where("T-1") is State.DOING

    rig.tick(2, seconds=20)

    assert rig.where("T-1") is State.REVIEW


def test_done_before_the_summary_waits_for_it(rig: Rig) -> None:
    """DONE that is written first does not end the run while the summary is still being written."""
    rig.drop("T-1")
    rig.tick()
    (rig.outbox("T-1") / "DONE").touch()
    rig.tick(3, seconds=1)
    assert rig.where("T-1") is State.DOING

    rig.finish("T-1")
    rig.tick(2)

    assert rig.history("T-1")[0].outcome is Outcome.FINISHED


def test_blocked_goes_to_blocked_with_the_agents_words(rig: Rig) -> None:
    """BLOCKED with a reason: the ticket says why it waits for a person."""
    rig.drop("T-1")
    rig.tick()
    rig.block("T-1", "需要 API key：which account?")
    rig.tick(2)

    assert rig.where("T-1") is State.BLOCKED
    assert "需要 API key：which account?" in rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")


def test_a_process_that_dies_is_tried_again_then_blocked_with_its_last_words(rig: Rig) -> None:
    """Two retries with growing pauses, then blocked; the ticket carries the last lines of the pane."""
    rig.workers.screen = "line one\nTraceback: boom\n"
    rig.drop("T-1")
    for expected_pause in (30, 60):
        rig.tick()
        rig.workers.exit("T-1", 1)
        rig.tick()
        assert rig.where("T-1") is State.TODO
        rig.tick(1, seconds=expected_pause - 1)
        assert rig.where("T-1") is State.TODO
        rig.tick(1, seconds=2)
        assert rig.where("T-1") is State.DOING
    rig.workers.exit("T-1", 1)
    rig.tick()

    assert rig.where("T-1") is State.BLOCKED
    assert [a.outcome for a in rig.history("T-1")] == [Outcome.DIED] * 3
    text = rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")
    assert "Traceback: boom" in text
    assert "status 1" in text


def test_secrets_on_the_pane_do_not_reach_the_ticket(rig: Rig) -> None:
    """The last lines are redacted before they are stored."""
    rig.settings = Settings(retries=0, settle_seconds=0)
    rig.restart()
    key = "-".join(("sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"))
    rig.workers.screen = f"export ANTHROPIC_API_KEY={key}\nplain words\n"
    rig.drop("T-1")
    rig.tick()
    rig.workers.exit("T-1", 1)
    rig.tick()

    text = rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")
    assert key not in text
    assert "plain words" in text


def test_over_its_time_it_is_ended_and_blocked(rig: Rig) -> None:
    """The ticket's own limit counts, by boot time: the wall clock may jump."""
    rig.drop("T-1", "---\ntimeout_minutes: 5\n---\nx")
    rig.tick()
    rig.clock.jump(86_400)
    rig.tick(2)
    assert rig.where("T-1") is State.DOING

    rig.tick(2, seconds=301)

    assert rig.where("T-1") is State.BLOCKED
    assert rig.history("T-1")[0].outcome is Outcome.TIMED_OUT


def test_sleep_is_no_work(rig: Rig) -> None:
    """A lid that was closed for a day uses up nobody's time; after waking up the rest of it counts."""
    rig.drop("T-1", "---\ntimeout_minutes: 5\n---\nx")
    rig.tick()
    rig.tick(2, seconds=100)
    rig.clock.sleep(86_400)
    rig.tick(3, seconds=30)
    assert rig.where("T-1") is State.DOING

    rig.tick(2, seconds=120)

    assert rig.history("T-1")[0].outcome is Outcome.TIMED_OUT


def test_done_without_a_summary_delivers_nothing(rig: Rig) -> None:
    """DONE alone is no result: the attempt counts as failed."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1", summary="  \n")
    rig.tick(2)

    assert rig.history("T-1")[0].outcome is Outcome.NO_DELIVERABLE
    assert rig.where("T-1") is State.TODO


def test_an_old_done_counts_for_nothing(rig: Rig) -> None:
    """What an earlier attempt left is put aside, not deleted, and does not finish the next one."""
    folder = rig.outbox("T-1")
    folder.mkdir(parents=True)
    (folder / "DONE").touch()
    (folder / "summary.md").write_text("old", encoding="utf-8")
    rig.drop("T-1")
    rig.tick(3)

    assert rig.where("T-1") is State.DOING
    assert (folder / ".attempts" / "0" / "summary.md").read_text(encoding="utf-8") == "old"


def test_the_done_of_another_attempt_counts_for_nothing(rig: Rig) -> None:
    """A DONE that names another attempt's token is not this attempt's."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    (rig.outbox("T-1") / "DONE").write_text("hc-ffffffffffffffff", encoding="utf-8")
    rig.tick(2, seconds=60)
    assert rig.where("T-1") is State.DOING

    (rig.outbox("T-1") / "DONE").write_text(rig.history("T-1")[0].token, encoding="utf-8")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW


def test_rejection_resumes_the_same_conversation(rig: Rig) -> None:
    """Review → doing with feedback: the same conversation hears the feedback; the ticket comes back to review."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "session_started", session_id="engine-own-id")
    rig.workers.report("T-1", "prompt_submitted")
    rig.finish("T-1")
    rig.tick(2)
    RunFiles(rig.layout).give_feedback("T-1", 1, "标题要更大")
    rig.mv("T-1", State.DOING)
    rig.tick()

    second = rig.history("T-1")[1]
    assert (second.resumes, second.session_id, second.feedback) == (1, "engine-own-id", "标题要更大")
    assert rig.workers.process("T-1").order.launch.argv == ("fake", "--resume", "engine-own-id")
    assert rig.prompts.rendered[-1] == ("T-1", 2, "标题要更大")
    rig.finish("T-1")
    rig.tick(2)
    assert rig.where("T-1") is State.REVIEW
    assert "ticket.rejected" in rig.kinds()


def test_where_knowledge_comes_from_is_told(rig: Rig) -> None:
    """The end of an attempt tells the packs it was to use and whether its ticket was trusted when it began; a rejection
    tells which notes the reviewer blames."""
    rig.agent("ann", skills_pack=("gsd",))
    rig.drop("T-1", "---\ntrust: untrusted\n---\ndo it")
    rig.drop("T-2", "---\nskill_pack: superpower\n---\ndo it")
    rig.tick(2)
    for ticket in ("T-1", "T-2"):
        rig.finish(ticket)
        rig.tick(2)
    RunFiles(rig.layout).give_feedback("T-1", 1, "again", blamed=["L-1", "TASK-001"])
    rig.mv("T-1", State.DOING)
    rig.tick()

    events = list(EventLog(rig.layout.events_file, rig.clock).after(0))
    closed = {e.ticket: (e.data["packs"], e.data["trust"]) for e in events if e.kind == "attempt.closed"}
    assert closed == {"T-1": (["gsd"], "untrusted"), "T-2": (["superpower"], "trusted")}
    assert [e.data["blame"] for e in events if e.kind == "ticket.rejected"] == [["L-1", "TASK-001"]]


def test_rejection_of_an_engine_that_cannot_resume_begins_anew_with_the_feedback(rig: Rig) -> None:
    """Without a conversation to go on with, the feedback comes in a new one."""
    rig.engine.resumes = False
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.tick(2)
    RunFiles(rig.layout).give_feedback("T-1", 1, "again")
    rig.mv("T-1", State.DOING)
    rig.tick()

    assert rig.history("T-1")[1].resumes is None
    assert rig.prompts.rendered[-1] == ("T-1", 2, "again")


def test_feedback_is_not_lost_when_the_next_attempt_dies(rig: Rig) -> None:
    """A reviewer's words reach whichever attempt acts on them, also one that begins anew."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.tick(2)
    RunFiles(rig.layout).give_feedback("T-1", 1, "bolder")
    rig.mv("T-1", State.TODO)
    rig.tick(2)
    assert rig.prompts.rendered[-1] == ("T-1", 2, "bolder")

    rig.workers.exit("T-1", 1)
    rig.tick()
    rig.tick(2, seconds=40)

    assert rig.prompts.rendered[-1] == ("T-1", 3, "bolder")


def test_pulled_back_to_todo_it_ends_and_begins_anew(rig: Rig) -> None:
    """Doing → todo by hand ends the run and queues the ticket again with a new conversation."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted")
    first = rig.workers.process("T-1")
    rig.mv("T-1", State.TODO)
    rig.tick(3)

    assert not first.alive
    attempts = rig.history("T-1")
    assert [a.outcome for a in attempts] == [Outcome.TAKEN_AWAY, None]
    assert attempts[1].session_id != attempts[0].session_id


@pytest.mark.parametrize("target", [State.BLOCKED, State.REVIEW, State.DONE])
def test_taken_out_of_doing_it_ends_and_stays_where_it_was_put(rig: Rig, target: State) -> None:
    """A person's move wins over whatever the run was doing."""
    rig.drop("T-1")
    rig.tick()
    first = rig.workers.process("T-1")
    rig.mv("T-1", target)
    rig.tick(3)

    assert not first.alive
    assert rig.where("T-1") is target
    assert rig.history("T-1")[0].outcome is Outcome.TAKEN_AWAY


def test_a_deleted_ticket_ends_its_run(rig: Rig) -> None:
    """Deleting the file ends the run; nothing comes back."""
    rig.drop("T-1")
    rig.tick()
    first = rig.workers.process("T-1")
    rig.layout.ticket("T-1", State.DOING).unlink()
    rig.tick(3)

    assert not first.alive
    assert not list(rig.layout.tasks.rglob("*.md"))
    assert rig.kinds()[-1] == "attempt.closed"


def test_a_ghost_of_a_running_ticket_is_not_started_and_does_not_end_it(rig: Rig) -> None:
    """An editor that saves late recreates the file in todo: the run goes on, the copy is never claimed."""
    rig.drop("T-1")
    rig.tick()
    rig.drop("T-1", "late save")
    rig.tick(3)

    assert rig.workers.process("T-1").alive
    assert len(rig.workers.starts) == 1


def test_edited_while_it_runs_it_goes_on(rig: Rig) -> None:
    """Editing the file of a running ticket neither ends nor doubles it, and the edit stays."""
    rig.drop("T-1", "---\ntitle: a\n---\nx")
    rig.tick()
    path = rig.layout.ticket("T-1", State.DOING)
    path.write_text("---\ntitle: b\n---\nmore", encoding="utf-8")
    rig.tick(3)
    rig.finish("T-1")
    rig.tick(2)

    assert "title: b" in rig.layout.ticket("T-1", State.REVIEW).read_text(encoding="utf-8")
    assert len(rig.workers.starts) == 1


def test_dependencies_wait_for_done(rig: Rig) -> None:
    """A ticket starts when all it needs lie in done, not before."""
    rig.drop("A-1")
    rig.drop("B-1", "---\nneeds: [A-1]\n---\nx")
    rig.tick()
    rig.finish("A-1")
    rig.tick(3)
    assert rig.where("B-1") is State.TODO

    rig.mv("A-1", State.DONE)
    rig.tick(2)

    assert rig.where("B-1") is State.DOING


def test_nothing_starts_on_an_acceptance_that_was_not_told(rig: Rig) -> None:
    """What waits for a ticket starts only once its acceptance was told, so that its prompt can carry what was learned there."""
    rig.drop("A-1", state=State.REVIEW)
    rig.drop("B-1", "---\nneeds: [A-1]\n---\nx")
    rig.tick()
    rig.kernel.settle()
    rig.mv("A-1", State.DONE)
    assert rig.kernel.dispatch().started == ()

    rig.kernel.settle()

    assert rig.kinds()[-1] == "ticket.approved"
    assert rig.kernel.dispatch().started == ("B-1",)


def test_priority_then_age_decides_who_goes_first(rig: Rig) -> None:
    """The most urgent first; among equals the oldest."""
    now = rig.clock.now()
    rig.drop("T-1", f"---\npriority: low\ncreated: {now - timedelta(hours=20)}\n---\nx")
    rig.drop("T-2", f"---\ncreated: {now - timedelta(hours=1)}\n---\nx")
    rig.drop("T-3", f"---\ncreated: {now - timedelta(hours=2)}\n---\nx")
    rig.drop("T-4", "---\npriority: urgent\n---\nx")
    order = []
    for _ in range(4):
        rig.tick()
        order.append(rig.workers.starts[-1].parent.name)
        rig.mv(order[-1], State.DONE)
        rig.tick(2)

    assert order == ["T-4", "T-3", "T-2", "T-1"]


def test_what_waits_long_rises(rig: Rig) -> None:
    """A low ticket that has waited for days goes before a normal one of today."""
    now = rig.clock.now()
    rig.drop("T-1", f"---\npriority: low\ncreated: {now - timedelta(hours=50)}\n---\nx")
    rig.drop("T-2", f"---\npriority: normal\ncreated: {now}\n---\nx")
    rig.tick()

    assert rig.workers.starts[0].parent.name == "T-1"


def test_an_engine_that_fails_alike_three_times_is_left_alone(rig: Rig) -> None:
    """Three failures of one kind on different tickets pause the engine; one that works again is forgiven everything."""
    rig.agent("ann", capacity=3)
    for number in range(1, 6):
        rig.drop(f"T-{number}")
    rig.tick()
    for number in range(1, 4):
        rig.workers.exit(f"T-{number}", 1)
    rig.tick(2)
    assert len(rig.workers.starts) == 3
    assert rig.kinds().count("engine.paused") == 1
    rig.restart()
    rig.tick(1, seconds=200)
    assert len(rig.workers.starts) == 3

    rig.tick(1, seconds=120)
    first = rig.workers.starts[3].parent.name
    rig.workers.exit(first, 1)
    rig.tick(1, seconds=20)

    assert rig.kinds().count("engine.paused") == 2


def test_failures_of_different_kinds_pause_nothing(rig: Rig) -> None:
    """Only a burst of failures that are all alike speaks of the engine."""
    rig.agent("ann", capacity=3)
    for number in range(1, 4):
        rig.drop(f"T-{number}")
    rig.tick()
    for number in range(1, 4):
        rig.workers.exit(f"T-{number}", number)
    rig.tick()

    assert "engine.paused" not in rig.kinds()


def test_an_engine_has_its_own_cap(rig: Rig) -> None:
    """`engines.fake.max_running` holds across agents."""
    rig.settings = Settings(settle_seconds=0, engines={"fake": EngineSettings(max_running=1)})
    rig.agent("bob")
    rig.restart()
    rig.drop("T-1", "---\nowner: ann\n---\nx")
    rig.drop("T-2", "---\nowner: bob\n---\nx")
    rig.tick(2)

    assert len(rig.workers.starts) == 1


def test_a_used_up_budget_holds_new_starts(rig: Rig) -> None:
    """Nothing starts on a budget that is used up, whoever's it is; other tickets go on, and it starts when there is room."""
    rig.agent("bob")
    used_up = Hold(code="budget-agent", reason=say("Used up."), remedy=say("Wait."))
    rig.spending.agents["ann"] = used_up
    rig.spending.tickets["T-2"] = used_up
    rig.drop("T-1", "---\nowner: ann\n---\nx")
    rig.drop("T-2", "---\nowner: bob\n---\nx")
    rig.drop("T-3", "---\nowner: bob\n---\nx")
    rig.tick(2)
    assert [folder.parent.name for folder in rig.workers.starts] == ["T-3"]

    rig.spending.agents.clear()
    rig.spending.company = used_up
    rig.tick(2, seconds=3)
    assert len(rig.workers.starts) == 1
    rig.spending.company = None
    rig.tick(2, seconds=3)

    assert rig.where("T-1") is State.DOING


def test_skills_choose_the_agent_with_the_fewest_others(rig: Rig) -> None:
    """Without an owner the closest fit gets it; when busy, the next; when nobody fits, it stays."""
    rig.agent("zoe", skills=("css",))
    rig.agent("bob", skills=("css", "go", "sql"))
    for number in range(1, 4):
        rig.drop(f"T-{number}", f"---\nskills: [css]\ncreated: 2026-01-0{number}\n---\nx")
    rig.drop("T-9", "---\nskills: [cobol]\n---\nx")
    rig.tick()

    assert rig.history("T-1")[0].agent == "zoe"
    assert rig.history("T-2")[0].agent == "bob"
    assert rig.where("T-3") is State.TODO
    assert rig.where("T-9") is State.TODO


def test_no_more_run_than_allowed(rig: Rig) -> None:
    """The company's cap holds whatever the agents' capacity; one agent gets one window a place."""
    rig.agent("ann", capacity=9)
    rig.max_running = 3
    rig.restart()
    for number in range(5):
        rig.drop(f"T-{number}")
    rig.tick(3)

    assert len(rig.workers.starts) == 3
    windows = {process.order.window for process in rig.workers.processes.values()}
    assert windows == {"agent_ann", "agent_ann_2", "agent_ann_3"}


def test_a_missing_workdir_is_never_guessed(rig: Rig, tmp_path: Path) -> None:
    """It stays in todo while its workdir is missing, and starts there once it is made."""
    rig.drop("T-1", f"---\nworkdir: {tmp_path / 'site'}\n---\nx")
    rig.tick(2)
    assert rig.where("T-1") is State.TODO

    (tmp_path / "site").mkdir()
    rig.tick(seconds=3)

    assert rig.workers.process("T-1").order.workdir == tmp_path / "site"


def test_what_the_engine_objects_to_blocks_before_anything_starts(rig: Rig) -> None:
    """A preflight refusal starts nothing and puts its words into the ticket."""
    rig.engine.objection = Refusal(
        "folder-not-trusted", fact=say("Not trusted."), cause=say("It would hang."), remedy=say("Run prepare.")
    )
    rig.drop("T-1")
    rig.tick(2)

    assert not rig.workers.starts
    assert rig.where("T-1") is State.BLOCKED
    assert "Run prepare." in rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")


def test_a_missing_engine_leaves_its_tickets_in_todo(rig: Rig) -> None:
    """Nothing is claimed for an engine that can't be started."""
    rig.engine.missing = Refusal("engine-missing", fact=say("Gone."), cause=say("So."), remedy=say("Install it."))
    rig.drop("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.TODO
    assert not rig.history("T-1")


def test_when_tmux_does_not_answer_nothing_is_lost(rig: Rig) -> None:
    """A launch that fails for now is tried again later and does not count against the ticket."""
    rig.drop("T-1")
    rig.workers.broken = True
    rig.tick(2)
    assert not rig.workers.starts

    rig.workers.broken = False
    rig.tick(2, seconds=301)

    assert rig.workers.process("T-1").alive


def test_stop_asked_by_a_person_ends_and_blocks(rig: Rig) -> None:
    """`hc task stop` leaves a request; the loop carries it out."""
    rig.drop("T-1")
    rig.tick()
    RunFiles(rig.layout).ask_stop("T-1", 1, "wrong branch")
    rig.tick(2)

    assert rig.where("T-1") is State.BLOCKED
    assert rig.history("T-1")[0].outcome is Outcome.STOPPED
    assert "wrong branch" in rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")


def test_a_tree_that_will_not_die_keeps_its_claim(rig: Rig) -> None:
    """While a process survives, the ticket stays claimed and an alarm is raised once; it is never doubled."""
    rig.drop("T-1")
    rig.tick()
    process = rig.workers.process("T-1")
    process.immortal = True
    rig.finish("T-1")
    rig.tick(5)
    assert rig.where("T-1") is State.DOING
    assert rig.kinds().count("attempt.stuck") == 1

    process.immortal = False
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW


def test_bad_tickets_never_stop_the_loop(rig: Rig) -> None:
    """Unreadable files stay where they are, untouched, while good ones run."""
    bad = rig.drop("T-1", "---\nneeds: [\n---\n")
    rig.drop("T-2")
    rig.tick(2)

    assert rig.workers.process("T-2").alive
    assert bad.read_text(encoding="utf-8") == "---\nneeds: [\n---\n"


def test_a_dropped_file_without_front_matter_runs(rig: Rig) -> None:
    """Any Markdown file is a ticket; its first heading is the title."""
    rig.drop("note", "# Fix the login\n\nIt is broken.\n")
    rig.tick()

    assert rig.history("note")[0].title == "Fix the login"


def test_agents_get_only_what_they_may_see(rig: Rig) -> None:
    """The environment is an allow-list: other variables of the orchestrator do not pass."""
    rig.drop("T-1")
    rig.tick()

    environ = rig.workers.process("T-1").order.environ
    assert "SECRET" not in environ
    assert environ["HC_TICKET"] == "T-1"
    assert environ["HC_RUN_TOKEN"] == rig.history("T-1")[0].token


def test_after_a_restart_living_attempts_are_adopted(rig: Rig) -> None:
    """A loop that was killed is taken over: nothing doubled, the run goes on to review."""
    rig.drop("T-1")
    rig.tick()
    rig.restart()
    rig.tick(2)
    assert len(rig.workers.starts) == 1

    rig.finish("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW
    assert len(rig.history("T-1")) == 1


def test_what_died_while_no_loop_ran_is_closed(rig: Rig) -> None:
    """The next loop finds the exit, counts it and tries again."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.vanish("T-1")
    rig.restart()
    rig.tick()

    assert rig.history("T-1")[0].outcome is Outcome.DIED
    assert rig.where("T-1") is State.TODO


def test_moves_made_while_no_loop_ran_are_understood(rig: Rig) -> None:
    """Approved by hand while the loop was down: the event is told when it comes back."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.tick(2)
    rig.mv("T-1", State.DONE)
    rig.restart()
    rig.tick()

    assert rig.kinds().count("ticket.approved") == 1


def test_a_damaged_record_does_not_stop_the_company(rig: Rig) -> None:
    """An unreadable run.json closes the attempt as lost; the ticket goes back and others run."""
    rig.drop("T-1")
    rig.tick()
    process = rig.workers.process("T-1")
    (rig.layout.run("T-1", 1) / "run.json").write_text("{torn", encoding="utf-8")
    rig.restart()
    rig.tick(2)

    assert not process.alive
    assert rig.where("T-1") is State.TODO


def test_a_wiped_list_of_open_attempts_doubles_nothing(rig: Rig) -> None:
    """Without `.hc/open` the records still tell what runs."""
    rig.drop("T-1")
    rig.tick()
    shutil.rmtree(rig.layout.open_runs)
    rig.restart()
    rig.tick(2)
    assert len(rig.workers.starts) == 1

    rig.finish("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW


def test_wiped_records_double_nothing(rig: Rig) -> None:
    """Without any record the living process is found by its environment and ended before the ticket starts again."""
    rig.drop("T-1")
    rig.tick()
    first = rig.workers.process("T-1")
    shutil.rmtree(rig.layout.private)
    rig.restart()
    rig.tick(1)
    assert len(rig.workers.starts) == 1
    rig.tick(3, seconds=40)

    assert not first.alive
    assert len(rig.workers.starts) == 2


def test_exit_75_means_try_later(rig: Rig) -> None:
    """An engine that asks to be tried later uses up no retry and goes on after the pause."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.exit("T-1", 75)
    rig.tick()
    assert rig.history("T-1")[0].outcome is Outcome.PAUSED
    assert len(rig.workers.starts) == 1

    rig.tick(2, seconds=301)

    assert len(rig.workers.starts) == 2


def _quiet_rig(rig: Rig) -> None:
    rig.settings = Settings(settle_seconds=0, quiet_minutes=10, stuck_minutes=45)
    rig.restart()
    rig.drop("T-1", "---\ntimeout_minutes: 600\n---\nx")
    rig.tick()


def test_a_silent_attempt_is_pointed_out_then_ended(rig: Rig) -> None:
    """When nothing at all moves it is told once after ten minutes and ended after forty-five."""
    _quiet_rig(rig)
    rig.tick(40, seconds=61)
    assert rig.where("T-1") is State.DOING
    assert rig.kinds().count("attempt.quiet") == 1
    assert rig.history("T-1")[0].flags

    rig.tick(8, seconds=61)

    assert rig.where("T-1") is State.BLOCKED
    assert rig.history("T-1")[0].outcome is Outcome.TIMED_OUT


def test_sleep_is_no_silence(rig: Rig) -> None:
    """Nothing moves while the machine sleeps, and nobody is told off for it."""
    _quiet_rig(rig)
    rig.tick(3, seconds=61)
    rig.clock.sleep(86_400)
    rig.tick(3, seconds=61)

    assert rig.where("T-1") is State.DOING
    assert "attempt.quiet" not in rig.kinds()


@pytest.mark.parametrize("clock", ["processor", "signals", "files", "screen"])
def test_any_one_clock_that_moves_keeps_it_alive(rig: Rig, clock: str) -> None:
    """A long silent test run that computes, reports, writes or prints is not taken for dead."""
    _quiet_rig(rig)
    for minute in range(60):
        if clock == "processor":
            rig.workers.process("T-1").cpu_seconds += 5
        elif clock == "signals":
            rig.workers.report("T-1", "tool_used")
        elif clock == "files":
            (rig.outbox("T-1") / f"{minute}.log").touch()
        else:
            rig.workers.screen = f"line {minute}"
        rig.tick(1, seconds=61)

    assert rig.where("T-1") is State.DOING
    assert "attempt.quiet" not in rig.kinds()


def test_what_moves_again_is_no_longer_pointed_out(rig: Rig) -> None:
    """The flag goes when anything moves, and comes again when it stands still again."""
    _quiet_rig(rig)
    rig.tick(15, seconds=61)
    assert rig.history("T-1")[0].flags
    rig.workers.screen = "news"
    rig.tick(2, seconds=61)
    assert not rig.history("T-1")[0].flags

    rig.tick(15, seconds=61)

    assert rig.kinds().count("attempt.quiet") == 2
