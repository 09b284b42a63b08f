"""File systems and systems without a rename that refuses to overwrite: each fallback keeps the same promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.person import Person
from tests.support.whole_machine import attempts

ROOT = Path(__file__).parents[2]
LACKING = [["renameat2"], ["renameat2", "link", "linkat"]]
RACE = """
import json, sys
from pathlib import Path
from tests.support.refusing import refuse
refuse(*sys.argv[2].split(","))
from hermes_company.folders.atomic import rename_noreplace
todo, doing = Path(sys.argv[1], "todo"), Path(sys.argv[1], "doing")
sys.stdin.read(1)
won = []
for name in sorted(path.name for path in todo.iterdir()):
    try:
        rename_noreplace(todo / name, doing / name)
        won.append(name)
    except (FileNotFoundError, FileExistsError):
        pass
print(json.dumps(won))
"""


@pytest.mark.parametrize("lacking", LACKING, ids=["link", "placeholder"])
def test_each_fallback_has_one_winner(tmp_path: Path, lacking: list[str]) -> None:
    """Six processes race for every file: each is won once and none is lost, whatever the system lacks."""
    (tmp_path / "todo").mkdir()
    (tmp_path / "doing").mkdir()
    names = [f"T-{number:03}" for number in range(150)]
    for name in names:
        (tmp_path / "todo" / name).write_text(name)
    words = [sys.executable, "-c", RACE, str(tmp_path), ",".join(lacking)]
    racers = [subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    won = [name for racer in racers for name in json.loads(racer.communicate("x", timeout=60)[0])]

    assert sorted(won) == names
    assert sorted(path.name for path in (tmp_path / "doing").iterdir()) == names
    assert [path.read_text() for path in sorted((tmp_path / "doing").iterdir())] == names
    assert list((tmp_path / "todo").iterdir()) == []


@pytest.mark.parametrize("lacking", LACKING, ids=["link", "placeholder"])
def test_no_fallback_overwrites(tmp_path: Path, lacking: list[str]) -> None:
    """A file of that name in the target folder keeps its bytes, and so does the one that was to be moved."""
    for name in ("todo", "doing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "T-1").write_text(name)
    words = [sys.executable, "-c", RACE, str(tmp_path), ",".join(lacking)]
    done = subprocess.run(words, cwd=ROOT, input="x", capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
    assert [(tmp_path / name / "T-1").read_text() for name in ("todo", "doing")] == ["todo", "doing"]


@pytest.mark.parametrize("lacking", LACKING, ids=["link", "placeholder"])
def test_a_company_runs_on_each_fallback(person: Person, lacking: list[str]) -> None:
    """A ticket is claimed and started; writing into it is refused with the way out, because that needs an exchange."""
    person.ok("task", "new", "one", "--owner", "worker", "--file", "-", stdin="```sh\ntrue\n```\n")
    before = person.layout.ticket("TASK-001", State.TODO).read_bytes()
    through = [sys.executable, "-m", "tests.support.refusing", *lacking, "--", "hermes_company"]
    env = {**person.environ, "PYTHONPATH": str(ROOT)}
    held, run = (
        subprocess.run([*through, *argv], cwd=person.here, env=env, capture_output=True, text=True, check=False, timeout=60)
        for argv in (("task", "hold", "TASK-001"), ("run", "--once", "--plain"))
    )

    assert (held.returncode, "ticket-not-written" in held.stderr) == (75, True)
    assert (run.returncode, person.where("TASK-001")) == (0, State.DOING)
    assert person.layout.ticket("TASK-001", State.DOING).read_bytes() == before
    assert len(attempts(person)) == 1
    assert [path.name for path in person.layout.state(State.TODO).iterdir()] == [".gitkeep"]
