"""What a new ticket is told, and what it is never told."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_company.domain.ticket import Ticket
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.userspace.files import Finding
from hermes_company.userspace.memory.entry import Found
from hermes_company.userspace.memory.excerpt import prompt_tokens
from hermes_company.userspace.memory.note import Kind
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.memory.plain_index import PlainIndex
from hermes_company.userspace.memory.retriever import Verdict
from tests.fakes.clock import FakeClock
from tests.memory.desk import LAOHUANG, SUMMARY, XIAOLI, Desk

SIMILAR = "开发 AI 教育产品落地页", "用 Next.js，部署到 Vercel"


@pytest.fixture(params=["fts5", "plain"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """A memory with either index: both must keep every promise."""
    book = NoteBook(tmp_path / "memory", parse_yaml=load_yaml, write=write_atomic)
    return Desk(tmp_path, index=PlainIndex(book) if request.param == "plain" else None)


@pytest.fixture
def learned(desk: Desk) -> Desk:
    """One accepted ticket among others on other subjects."""
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    for number, title in enumerate(
        ("整理六月发票", "招聘前端工程师面试题", "数据库备份脚本", "写一封致客户的道歉信"), start=10
    ):
        desk.finish(f"TASK-{number:03}", title, f"## 踩坑\n- 关于{title}：要提前两天确认负责人\n")
        desk.approve(f"TASK-{number:03}")
    return desk


def test_a_similar_ticket_is_told_the_pitfall_and_its_source(learned: Desk) -> None:
    """The lesson comes with ticket, date and path, and with the words that made it relevant."""
    recalled = learned.recall(*SIMILAR)
    assert "Vercel 构建超时" in " ".join(item.text for item in recalled)
    assert {item.source for item in recalled} == {"TASK-001"}
    assert {item.date for item in recalled} == {"2026-05-01"}
    assert all(Path(item.path).is_file() and len(item.text) <= 400 for item in recalled)
    assert "落地页" in " ".join(recalled[0].terms)


def test_the_first_accepted_ticket_already_teaches(desk: Desk) -> None:
    """While a memory holds one ticket only, a similar one is told of it and an unrelated one is not."""
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")

    assert {item.source for item in desk.recall("商品详情落地页", "再做一个商品落地页，图片懒加载。")} == {"TASK-001"}
    assert desk.recall("整理报销单据", "把十一月的发票按日期排好，列成表格。") == []


def test_an_unrelated_ticket_is_told_nothing(learned: Desk) -> None:
    """Nothing relevant, nothing recalled."""
    assert learned.recall("组织公司年会", "订场地、安排节目和抽奖") == []


def test_an_empty_memory_recalls_nothing(desk: Desk) -> None:
    """A new company has no experience and no error."""
    assert desk.recall(*SIMILAR) == []
    assert desk.retriever.findings() == []


@pytest.mark.parametrize("status", ["pending", "quarantined", "thin", "expired"])
def test_only_approved_notes_are_ever_shown(learned: Desk, status: str) -> None:
    """A pending, quarantined, thin or expired note never reaches a prompt, however well it fits."""
    for path in (learned.root / "memory").rglob("*.md"):
        path.write_text(path.read_text().replace("status: approved", f"status: {status}"))
    assert learned.recall(*SIMILAR) == []


def test_a_note_without_a_status_is_not_shown(learned: Desk) -> None:
    """What nobody approved is not approved."""
    for path in (learned.root / "memory").rglob("*.md"):
        path.write_text(path.read_text().replace("status: approved\n", ""))
    assert learned.recall(*SIMILAR) == []


def test_a_rejected_tickets_notes_are_not_shown(desk: Desk) -> None:
    """Neither its experience, its lesson nor its pattern."""
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.event("ticket.rejected", "TASK-001", feedback="重做")
    assert desk.recall(*SIMILAR) == []


def test_an_expired_note_is_not_shown(learned: Desk) -> None:
    """`expires` is the last day on which a note is shown, with a word of warning."""
    for path in (learned.root / "memory").rglob("*.md"):
        path.write_text(path.read_text().replace("status: approved", "status: approved\nexpires: 2026-05-02"))
    assert "请核实" in learned.recall(*SIMILAR)[0].text
    learned.clock.jump(86_400)
    assert learned.recall(*SIMILAR) != []
    learned.clock.jump(86_400)
    assert learned.recall(*SIMILAR) == []


@pytest.mark.parametrize("where", ["title: 开发知识库商品落地页 sk-ant-api03-{key}", "body"])
def test_a_note_with_a_secret_in_it_is_not_shown(learned: Desk, where: str) -> None:
    """Whoever wrote it in, and whoever approved it: the whole note stays out until the secret is taken out again."""
    for kind in Kind:
        for note in learned.notes(kind):
            text = note.path.read_text()
            if note.ticket == "TASK-001":
                if where == "body":
                    text += "\n数据库密码：Hx7!kk29Lm\n"
                else:
                    text = text.replace("title: ", f"{where.format(key='Ab1' * 12)} # ", 1)
                note.path.write_text(text)
    assert learned.recall(*SIMILAR) == []
    found = learned.retriever.explain(Ticket(id="TASK-900", title=SIMILAR[0], body=SIMILAR[1]), LAOHUANG, project=None)
    assert Verdict.SECRET in {judged.verdict for judged in found}


def test_what_was_accepted_says_so(learned: Desk) -> None:
    """The prompt says of each item how far it was judged."""
    assert {item.standing for item in learned.recall(*SIMILAR)} == {"已验收"}


def test_other_agents_see_lessons_and_patterns_only(learned: Desk) -> None:
    """What an agent went through is its own; what it taught belongs to the company."""
    assert {item.kind for item in learned.recall(*SIMILAR, agent=XIAOLI)} <= {"lesson", "pattern"}
    assert learned.recall(*SIMILAR, agent=XIAOLI)


def test_notes_of_untrusted_tickets_never_cross_agents(desk: Desk) -> None:
    """What was read on the web by one agent does not steer another."""
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY, trust="untrusted")
    desk.approve("TASK-001")
    assert desk.recall(*SIMILAR)
    assert desk.recall(*SIMILAR, agent=XIAOLI) == []


@pytest.mark.parametrize("off", ["ticket", "agent"])
def test_memory_can_be_switched_off(learned: Desk, off: str) -> None:
    """`memory: off` on the ticket or the agent recalls nothing."""
    ticket = Ticket(id="TASK-900", title=SIMILAR[0], body=SIMILAR[1], memory=off != "ticket")
    agent = replace(LAOHUANG, memory=off != "agent")
    assert list(learned.retriever.recall(ticket, agent, project=None)) == []


def test_a_ticket_is_not_told_its_own_notes(learned: Desk) -> None:
    """When an accepted ticket is run again, its old experience is not news."""
    ticket = Ticket(id="TASK-001", title=SIMILAR[0], body=SIMILAR[1])
    assert list(learned.retriever.recall(ticket, LAOHUANG, project=None)) == []


def test_the_budget_holds_with_two_hundred_relevant_notes(desk: Desk) -> None:
    """At most three lessons or patterns and two experiences, 1,200 tokens, 400 characters each."""
    for i in range(40):
        words = " ".join(f"w{i}x{j}" for j in range(60))
        desk.finish(
            f"T-{i}",
            f"Vercel 落地页 {i}",
            f"## 踩坑\n- Vercel 落地页 {words}\n\n## 可复用模式\n- 落地页 Vercel v{i} {words}y{i}\n",
        )
        desk.approve(f"T-{i}")
    recalled = desk.recall("Vercel 落地页")
    kinds = [item.kind for item in recalled]
    assert kinds.count("experience") <= 2
    assert 3 <= len(recalled) <= 5
    assert sum(prompt_tokens(item.text) for item in recalled) <= 1_200
    assert max(len(item.text) for item in recalled) <= 400


def test_the_same_thing_is_told_once(learned: Desk) -> None:
    """An experience that contains the lesson makes the lesson superfluous, or the other way round."""
    texts = [item.text for item in learned.recall(*SIMILAR)]
    assert sum("Vercel 构建超时" in text for text in texts) == 1


def test_a_superseded_note_gives_way(learned: Desk) -> None:
    """An approved note that supersedes another takes its place."""
    lesson = learned.notes(Kind.LESSON)
    old = next(n for n in lesson if "Vercel" in n.body)
    front = f"id: L-new\ntask: TASK-020\ntitle: 落地页部署\nstatus: approved\nsupersedes: [{old.id}, TASK-001]"
    learned.write("laohuang/lessons/L-new.md", f"---\n{front}\n---\nVercel 落地页构建已改为增量\n")
    recalled = learned.recall(*SIMILAR)
    assert [item.id for item in recalled if item.kind != "pattern"] == ["L-new"]


def test_contradicting_notes_are_both_shown_with_a_warning(learned: Desk) -> None:
    """Nobody guesses which of the two is right."""
    for note_id, words, other in (("L-a", "必须关闭缓存", "L-b"), ("L-b", "必须打开缓存 避免回源", "L-a")):
        front = f"id: {note_id}\ntitle: 网关限流\ncreated: 2026-04-01\nstatus: approved\nconflicts_with: [{other}]"
        learned.write(f"laohuang/lessons/{note_id}.md", f"---\n{front}\n---\n网关限流时{words}\n")
    texts = [item.text for item in learned.recall("排查网关限流", "网关限流配置")]
    assert len(texts) == 2
    assert "2026-04-01" in texts[1]


def test_useful_notes_come_before_blamed_ones(learned: Desk) -> None:
    """Of two notes that fit equally, the one that helped comes first."""
    for note_id, counts in (("L-a", "helpful: 0\nharmful: 4"), ("L-b", "helpful: 4\nharmful: 0")):
        word = "甲" if note_id == "L-a" else "乙"
        front = f"id: {note_id}\ntask: T-{note_id}\ntitle: 网关限流\ncreated: 2026-04-01\nstatus: approved\n{counts}"
        learned.write(f"laohuang/lessons/{note_id}.md", f"---\n{front}\n---\n网关限流规则{word * 9}\n")
    assert [item.id for item in learned.recall("网关限流规则")] == ["L-b", "L-a"]


def test_an_edited_note_is_recalled_as_it_is_now(learned: Desk) -> None:
    """The files are the truth: an edit, a deletion and a new file are seen by the next recall."""
    path = next(n for n in learned.notes(Kind.LESSON) if "Vercel" in n.body).path
    learned.note("TASK-001").path.unlink()
    path.write_text(path.read_text().replace("图片优化要在本地先做完再上传", "改用增量构建"))
    assert any("改用增量构建" in item.text for item in learned.recall(*SIMILAR))
    path.unlink()
    assert not any("Vercel" in item.text for item in learned.recall(*SIMILAR))


def test_every_verdict_is_explained(learned: Desk) -> None:
    """`explain` names terms and scores of what is shown, and why the others are not."""
    learned.finish("TASK-030", "Vercel 落地页改版", "## 踩坑\n- Vercel 落地页字体闪烁\n")
    ticket = Ticket(id="TASK-900", title=SIMILAR[0], body=SIMILAR[1])
    verdicts = {j.entry.id: j.verdict for j in learned.retriever.explain(ticket, LAOHUANG, project=None)}
    assert Verdict.SHOWN in verdicts.values()
    assert verdicts["TASK-030"] is Verdict.NOT_APPROVED
    shown = [j for j in learned.retriever.explain(ticket, LAOHUANG, project=None) if j.verdict is Verdict.SHOWN]
    assert all(j.recalled and j.rating.terms and j.rating.score > 0 for j in shown)


def test_search_finds_notes_of_every_status(learned: Desk) -> None:
    """People may look at everything."""
    learned.finish("TASK-030", "Vercel 落地页改版", "## 踩坑\n- 字体闪烁\n")
    assert "TASK-030" in {j.entry.id for j in learned.retriever.search("字体闪烁")}


class Stale:
    """`NoteIndex` that goes on saying what it said first, as one does whose database another process keeps locked."""

    def __init__(self, index: PlainIndex) -> None:
        self._index = index
        self._said: Found | None = None

    def look(self, words: tuple[str, ...], *, agent: str | None, limit: int) -> Found:
        """See `NoteIndex.look`."""
        self._said = self._said or self._index.look(words, agent=agent, limit=limit)
        return self._said

    def findings(self) -> list[Finding]:
        """See `NoteIndex.findings`."""
        return self._index.findings()


def test_the_file_has_the_last_word(tmp_path: Path) -> None:
    """A note that was held back a moment ago is not shown, even where the index has not heard of it yet."""
    book = NoteBook(tmp_path / "memory", parse_yaml=load_yaml, write=write_atomic)
    desk = Desk(tmp_path, index=Stale(PlainIndex(book)))
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    assert desk.recall(*SIMILAR)
    for path in (desk.root / "memory").rglob("*.md"):
        path.write_text(path.read_text().replace("status: approved", "status: quarantined"))
    assert desk.recall(*SIMILAR) == []


BAD = {
    "huge.md": b"---\nstatus: approved\n---\n" + b"x" * 200_000,
    "latin1.md": "---\nstatus: approved\n---\nVercel 落地页 ".encode() + b"\xff",
    "yaml.md": "---\nstatus: [approved\n---\nVercel 落地页".encode(),
    "list.md": "---\n- a\n---\nVercel 落地页".encode(),
    "status.md": "---\nstatus: fine\n---\nVercel 落地页".encode(),
    "bomb.md": "---\na: &a [x, x]\nb: *a\n---\nVercel 落地页".encode(),
}


def test_a_file_that_is_no_note_is_passed_over_and_told(learned: Desk) -> None:
    """Every one is a finding with its path; the others are recalled as ever."""
    for name, content in BAD.items():
        learned.write(f"laohuang/lessons/{name}", content)
    os.mkfifo(learned.root / "memory/laohuang/lessons/pipe.md")
    (learned.root / "memory/laohuang/lessons/link.md").symlink_to(learned.note("TASK-001").path)
    (learned.root / "memory/ghost").symlink_to(learned.root / "memory/laohuang")
    assert learned.recall(*SIMILAR)
    told = {Path(f.path).name for f in learned.retriever.findings()}
    assert told == {*BAD, "pipe.md", "link.md", "ghost"}


def test_a_sparse_giant_is_never_read(learned: Desk) -> None:
    """A note of 100 GB costs nothing."""
    with learned.write("laohuang/lessons/giant.md", "---\nstatus: approved\n---\n").open("r+b") as file:
        file.truncate(100 * 2**30)
    assert learned.recall(*SIMILAR)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_lost_or_damaged_index_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    """The index is disposable: recall is the same without it, also for whoever had it open."""
    desk = Desk(tmp_path)
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    before = desk.recall(*SIMILAR)
    database = tmp_path / ".hc" / "cache" / "memory.db"
    if damage is None:
        pages = bytearray(database.read_bytes())
        pages[100:] = os.urandom(len(pages) - 100)
        database.write_bytes(bytes(pages))
    else:
        database.write_bytes(damage)
    assert before
    assert Desk(tmp_path).recall(*SIMILAR) == before
    assert desk.recall(*SIMILAR) == before


class _EverLater(FakeClock):
    """Every question takes a second, and so does looking through the folders."""

    def boottime(self) -> float:
        self.advance(1.0)
        return super().boottime()


def test_what_was_just_written_is_found_between_two_looks(tmp_path: Path) -> None:
    """Where looking through the folders takes long it is seldom done; a note approved a moment ago is known all the same."""
    clock = _EverLater()
    desk = Desk(tmp_path, clock=clock)
    assert desk.recall(*SIMILAR) == []
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    text = desk.note("TASK-001").path.read_text()
    desk.write("laohuang/experiences/TASK-002.md", text.replace("TASK-001", "TASK-002"))

    def known() -> set[str]:
        return {judged.entry.id for judged in desk.retriever.search(SIMILAR[0])} & {"TASK-001", "TASK-002"}

    assert known() == {"TASK-001"}
    clock.advance(60)
    assert known() == {"TASK-001", "TASK-002"}


def test_several_may_recall_while_notes_are_filed(tmp_path: Path) -> None:
    """Readers with their own connections never fail and never see less than was there when they began."""
    desk = Desk(tmp_path)
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    results: list[bool] = []

    def read() -> None:
        reader = Desk(tmp_path)
        results.extend(bool(reader.recall(*SIMILAR)) for _ in range(15))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(10):
        desk.write(f"laohuang/lessons/N-{i}.md", f"---\nstatus: approved\ntask: N-{i}\n---\n第 {i} 条 无关紧要 的 记录\n")
    for thread in threads:
        thread.join(timeout=60)
    assert results == [True] * 45
