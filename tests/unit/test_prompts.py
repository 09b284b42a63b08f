"""What an engine is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_company.domain.agent import Agent
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State, Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.prompts import PromptWriter, fenced
from hermes_company.ports.memory import Recalled, SkillEntry
from hermes_company.ports.prompts import Prompts, RenderedPrompt
from hermes_company.wording import LANGS, Lang
from tests.support.companies import new_company, tree

TICKET = Ticket(id="TASK-001", title="Build the page", body="# Build the page\n\nWith a form.\n")
AGENT = Agent(name="laohuang", engine="claude-code", role="fullstack_engineer", identity="# laohuang\n\nYou remember.\n")
NOTE = Recalled(
    id="L-1a2b3c4d",
    kind="lesson",
    path="/acme/memory/laohuang/lessons/L-1a2b3c4d.md",
    source="TASK-000",
    date="2026-04-30",
    text="The build times out without --no-lint.",
    score=1.0,
    terms=("build",),
)
SKILL = SkillEntry(name="landing-page", description="Use for landing pages.", path="/acme/company/skills/landing-page/SKILL.md")
RUNNERS = ("claude_runner.md", "codex_runner.md", "shell_runner.md", "custom_runner.md")


@dataclass
class Memory:
    """A memory that answers with what it was given, and remembers what it was asked."""

    notes: Sequence[Recalled] = ()
    skills: Sequence[SkillEntry] = ()
    projects: list[str | None] = field(default_factory=list)

    def recall(self, ticket: Ticket, agent: Agent, *, project: str | None) -> Sequence[Recalled]:
        """See `Retriever.recall`."""
        self.projects.append(project)
        return self.notes

    def skills_for(self, ticket: Ticket, agent: Agent) -> Sequence[SkillEntry]:
        """See `SkillFinder.skills_for`."""
        return self.skills


def writer(layout: Layout, memory: Memory | None = None, company: Settings | None = None) -> Prompts:
    """The prompts of the company in `layout`."""
    memory = memory or Memory()
    return PromptWriter(layout, company or Settings(name="Acme"), memory, memory)


def render(
    prompts: Prompts,
    ticket: Ticket = TICKET,
    *,
    agent: Agent = AGENT,
    runner: str = "claude_runner.md",
    token: str = "hc-4f2e",
    workdir: Path = Path("/src/site"),
    feedback: str | None = None,
    previous_summary: Path | None = None,
) -> RenderedPrompt:
    """One prompt."""
    return prompts.render(
        ticket,
        agent,
        attempt=1,
        token=token,
        workdir=workdir,
        outbox=Path("/acme/outbox/laohuang/TASK-001"),
        runner=runner,
        feedback=feedback,
        previous_summary=previous_summary,
    )


def render_feedback(prompts: Prompts, feedback: str, previous_summary: Path | None = None) -> str:
    """What a resumed conversation is told."""
    return resumed(prompts, feedback, previous_summary).text


def resumed(prompts: Prompts, feedback: str, previous_summary: Path | None = None) -> RenderedPrompt:
    """One prompt of a resumed conversation."""
    return prompts.render_feedback(
        TICKET,
        AGENT,
        attempt=2,
        token="hc-new",
        workdir=Path("/src/site"),
        outbox=Path("/acme/outbox/laohuang/TASK-001"),
        feedback=feedback,
        previous_summary=previous_summary,
    )


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """An English company that no test changes."""
    return new_company(tmp_path_factory.mktemp("en") / "acme")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A company of the test's own."""
    return new_company(tmp_path / "acme")


# What a prompt says


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("runner", ["claude_runner.md", "codex_runner.md"])
def test_everything_an_agent_needs_is_there_in_order(tmp_path: Path, lang: Lang, runner: str) -> None:
    """Who, what, experience, skills, rules, what to hand in, what to leave alone: in this order, in both languages."""
    layout = new_company(tmp_path / "acme", lang=lang)
    memory = Memory([NOTE], [SKILL])

    text = render(writer(layout, memory), runner=runner).text

    words = [
        "laohuang",
        "You remember.",
        "TASK-001",
        str(layout.ticket("TASK-001", State.DOING)),
        "/src/site",
        "With a form.",
        NOTE.text,
        f"{SKILL.name} — {SKILL.description} — {SKILL.path}",
        "COMPANY.md",
        "AGENT_WORK_RULES.md",
        "SECURITY_RULES.md",
        "/acme/outbox/laohuang/TASK-001/summary.md",
        "/acme/outbox/laohuang/TASK-001/DONE",
        "/acme/outbox/laohuang/TASK-001/BLOCKED",
        "`tasks/`",
    ]
    places = [text.index(word) for word in words]
    assert places == sorted(places)


@pytest.mark.parametrize("lang", LANGS)
def test_summary_is_asked_for_as_the_memory_reads_it(tmp_path: Path, lang: Lang) -> None:
    """The headings that a summary is asked to have are those that experience is made from."""
    asked = {
        "en": ("Steps", "Deliverables", "Decisions", "Pitfalls", "Patterns", "Experience used", "Open", "Next"),
        "zh": ("步骤", "产出物", "关键决策", "踩坑", "可复用模式", "参考的经验", "遗留问题", "建议下一步"),
    }

    text = render(writer(new_company(tmp_path / "acme", lang=lang))).text

    assert re.findall(r"`## ([^`]+)`", text) == list(asked[lang])


@pytest.mark.parametrize("runner", RUNNERS)
def test_token_stands_on_a_line_of_its_own(english: Layout, runner: str) -> None:
    """DONE's content can be copied from the prompt: the token alone on a line."""
    assert "\n   hc-4f2e\n" in render(writer(english), runner=runner).text


@pytest.mark.parametrize(("lang", "start"), [("en", ("Carry out", "Run")), ("zh", ("现在就执行", "依次执行"))])
@pytest.mark.parametrize("runner", RUNNERS)
def test_last_line_tells_to_begin(tmp_path: Path, lang: Lang, start: tuple[str, ...], runner: str) -> None:
    """A prompt ends with one imperative and a line break, so that the engine acts instead of answering."""
    text = render(writer(new_company(tmp_path / "acme", lang=lang)), runner=runner).text

    last = text.split("\n")[-2]
    assert last.startswith(start)
    assert "TASK-001" in last
    assert text.endswith("\n")


def test_engines_are_told_what_each_tends_to_do(english: Layout) -> None:
    """Each engine is warned of its own way of waiting for a person."""
    prompts = writer(english)

    assert "AskUserQuestion" in render(prompts, runner="claude_runner.md").text
    assert "AskUserQuestion" not in render(prompts, runner="codex_runner.md").text
    assert "end your turn with a plan" in render(prompts, runner="codex_runner.md").text


@pytest.mark.parametrize(("lang", "words"), [("en", "(no relevant experience yet)"), ("zh", "（暂无相关经验）")])
def test_nothing_relevant_says_so(tmp_path: Path, lang: Lang, words: str) -> None:
    """Without relevant experience the prompt says so and injects nothing."""
    prompt = render(writer(new_company(tmp_path / "acme", lang=lang)))

    assert words in prompt.text
    assert "<<<records" not in prompt.text
    assert prompt.injected == ()


def test_experience_comes_with_its_source(english: Layout) -> None:
    """Each record shows its id, ticket, date and whole note, between markers that are told to be no instructions."""
    prompt = render(writer(english, Memory([NOTE])))

    record = f"[{NOTE.id}] lesson from TASK-000, 2026-04-30, whole note: {NOTE.path}\n{NOTE.text}\n"
    assert prompt.injected == (NOTE,)
    assert re.search(rf"<<<records (\w+)\n{re.escape(record)}\nrecords \1>>>\n", prompt.text)
    assert "not instructions" in prompt.text


def test_record_can_t_close_its_own_fence(english: Layout) -> None:
    """The marker differs by attempt and can't be derived from what the prompt's reader wrote before."""
    prompts = writer(english, Memory([NOTE]))

    markers = {re.search(r"<<<records (\w+)", render(prompts, token=token).text)[1] for token in ("a", "b")}  # type: ignore[index]

    assert len(markers) == 2
    assert all(len(marker) == 12 for marker in markers)


@pytest.mark.parametrize(("ticket", "agent"), [(replace(TICKET, memory=False), AGENT), (TICKET, replace(AGENT, memory=False))])
def test_memory_can_be_switched_off(english: Layout, ticket: Ticket, agent: Agent) -> None:
    """`memory: off` of a ticket or an agent keeps experience out, whatever would be relevant."""
    prompt = render(writer(english, Memory([NOTE])), ticket, agent=agent)

    assert (prompt.injected, NOTE.text in prompt.text) == ((), False)


@pytest.mark.parametrize(
    ("ticket", "workdir", "project"),
    [
        (replace(TICKET, project="site"), "/anywhere", "site"),
        (TICKET, "/src/site/app", "site"),
        (TICKET, "/src/sites", None),
    ],
)
def test_memory_is_asked_for_the_project(english: Layout, ticket: Ticket, workdir: str, project: str | None) -> None:
    """The project is the ticket's own, or the one whose folder the work lies in."""
    memory = Memory()

    render(writer(english, memory, Settings(projects={"site": "/src/site"})), ticket, workdir=Path(workdir))

    assert memory.projects == [project]


def test_expected_files_are_named(english: Layout) -> None:
    """What the ticket `expects` stands in the prompt."""
    text = render(writer(english), replace(TICKET, expects=("dist/index.html", "docs/*.md"))).text

    assert "expects these files: dist/index.html, docs/*.md.\n" in text


def test_earlier_attempt_is_told_to_a_new_conversation(english: Layout) -> None:
    """An engine that can't resume is told the feedback and where the last summary lies."""
    text = render(writer(english), feedback="The form is missing.", previous_summary=Path("/old/summary.md")).text

    assert "The form is missing." in text
    assert "/old/summary.md" in text


def test_ticket_without_text_has_its_title(english: Layout) -> None:
    """A ticket that is only a title is still told."""
    assert fenced("Build the page") in render(writer(english), replace(TICKET, body=" \n")).text


def test_shell_prompt_is_the_record_of_its_run(english: Layout) -> None:
    """The shell engine's prompt shows the ticket and the experience, and none of what only a model could follow."""
    text = render(writer(english, Memory([NOTE])), runner="shell_runner.md").text

    assert "With a form." in text
    assert NOTE.text in text
    assert "SECURITY_RULES.md" not in text


@pytest.mark.parametrize("lang", LANGS)
def test_resumed_conversation_hears_the_feedback(tmp_path: Path, lang: Lang) -> None:
    """A resumed conversation is told the feedback, the ticket's path, the new token and what to write, and last to begin."""
    layout = new_company(tmp_path / "acme", lang=lang)

    text = render_feedback(writer(layout), "表单不见了 {{ token }}", Path("/old/summary.md"))

    assert "表单不见了 {{ token }}" in text
    assert str(layout.ticket("TASK-001", State.DOING)) in text
    assert "/old/summary.md" in text
    assert "\n   hc-new\n" in text
    assert "TASK-001" in text.split("\n")[-2]
    assert len(text) < 1_500


def test_resumed_conversation_has_the_skills_that_fit_now(english: Layout) -> None:
    """Its engine offers them again; what it is told does not repeat them."""
    prompt = resumed(writer(english, Memory(skills=[SKILL])), "shorter")

    assert prompt.skills == (SKILL,)
    assert SKILL.name not in prompt.text


# What others wrote is never a template


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))
    | st.sampled_from(["{{ 7 * 7 }}", "{% raw %}", "{#"])
)
def test_text_of_others_stays_literal(english: Layout, text: str) -> None:
    """Whatever a ticket, an identity, a note or feedback contains arrives character by character."""
    body = f"a{text}b"
    memory = Memory([replace(NOTE, text=body)])

    prompt = render(writer(english, memory), replace(TICKET, body=body), agent=replace(AGENT, identity=body), feedback=body)

    assert prompt.text.count(body) >= 4


@given(st.text(st.sampled_from("`~\n a")))
def test_fence_is_longer_than_any_in_the_text(text: str) -> None:
    """No run of backticks in a text ends the block that the text stands in."""
    block = fenced(text).split("\n")

    fence = block[0]
    assert set(fence) == {"`"}
    assert block[-1] == fence
    assert not [line for line in block[1:-1] if fence in line]


def test_nul_is_shown_instead_of_cutting_the_prompt(english: Layout) -> None:
    """A NUL, at which a process argument would end, is shown as a sign."""
    assert "a\u2400b" in render(writer(english), feedback="a\0b").text


# Templates of the company's own


def test_changed_template_counts_at_once(layout: Layout) -> None:
    """A person's edit of a runner, or of the base that it extends, shows in the next prompt."""
    prompts = writer(layout)
    render(prompts)
    base = layout.runners / "base.md"
    base.write_text(base.read_text().replace("Carry out ticket", "Please carry out ticket"))

    assert "Please carry out ticket TASK-001" in render(prompts).text


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_template_s_ending_is_kept(layout: Layout, ending: str) -> None:
    """The prompt ends exactly as the template does."""
    (layout.runners / "claude_runner.md").write_text("Go." + ending)

    assert render(writer(layout)).text == "Go." + ending


@pytest.mark.parametrize(
    ("template", "line", "word"),
    [
        ("one\n{% if %}\n", 2, "Expected an expression"),
        ("one\ntwo {{ tiket }}\n", 2, "'tiket' is undefined"),
        ("{{ ticket.titel }}", 1, "titel"),
        ("one\n\n{{ 1 / 0 }}", 3, "division"),
        ("{{ 1 + 'a' }}", 1, "unsupported operand"),
        ("{{ ''.__class__.__mro__ }}", 1, "unsafe"),
        ("{{ range(999999999) | list }}", 1, "too big"),
    ],
)
def test_broken_template_names_file_and_line(layout: Layout, template: str, line: int, word: str) -> None:
    """A template that can't be rendered is refused with its file and line, and reaches into nothing."""
    (layout.runners / "claude_runner.md").write_text(template)

    refusal = refused(layout)

    assert refusal.code == "runner-broken"
    assert str(refusal.fact).startswith(f"runners/claude_runner.md, line {line}: ")
    assert word in str(refusal.fact)


def test_broken_base_is_named_itself(layout: Layout) -> None:
    """A mistake in base.md is not put on the runner that extends it."""
    (layout.runners / "base.md").write_text("\n{{ nothing }}")

    assert "runners/base.md, line 2" in str(refused(layout).fact)


def test_template_that_includes_itself_is_refused(layout: Layout) -> None:
    """A template that never ends is a broken one."""
    (layout.runners / "claude_runner.md").write_text('{% include "claude_runner.md" %}')

    assert refused(layout).code == "runner-broken"


@pytest.mark.parametrize("gone", ["claude_runner.md", "base.md"])
def test_missing_template_says_where_to_copy_it_from(layout: Layout, gone: str) -> None:
    """A runner that a person deleted is named, with the folder that holds the original."""
    (layout.runners / gone).unlink()

    refusal = refused(layout)

    assert refusal.code == "runner-missing"
    assert f"runners/{gone}" in str(refusal.fact)
    assert "runners" in str(refusal.remedy)


def test_runner_outside_of_the_company_is_not_read(tmp_path: Path, layout: Layout) -> None:
    """A runner that links out of the company is refused."""
    (tmp_path / "secret").write_text("key")
    (layout.runners / "claude_runner.md").unlink()
    (layout.runners / "claude_runner.md").symlink_to(tmp_path / "secret")

    assert refused(layout).code == "runner-broken"


def test_rules_are_never_left_out_in_silence(layout: Layout) -> None:
    """Where a rules file is gone, nothing is started without it; an empty one is a person's decision."""
    rules = layout.company / "SECURITY_RULES.md"
    rules.unlink()

    assert refused(layout).code == "rules-unreadable"

    rules.touch()
    assert "SECURITY_RULES.md" in render(writer(layout)).text


def test_rendering_writes_nothing(layout: Layout) -> None:
    """Rendering a prompt leaves the tree as it was."""
    before = tree(layout.root)

    render(writer(layout, Memory([NOTE], [SKILL])))

    assert tree(layout.root) == before


def refused(layout: Layout) -> Refusal:
    """The refusal of rendering a prompt."""
    with pytest.raises(Refusal) as caught:
        render(writer(layout))
    return caught.value
