"""Faults of what the company lies on: disk, limits, clock, event log, git."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.examine import FolderExaminer
from hermes_company.folders.system_clock import SystemClock
from tests.fakes.clock import FakeClock
from tests.support.examined import doctor, doctor_process, elsewhere
from tests.support.person import Person

ON_A_DISK = """
disk=$(mktemp -d)
mount -t tmpfs -o {options} tmpfs "$disk"
cp -a "$COMPANY/." "$disk"
mount --move "$disk" "$COMPANY"
rmdir "$disk"
"""


@pytest.mark.parametrize(
    ("options", "code", "severity", "status"),
    [
        ("size=20m", "disk-low", "bad", 1),
        ("size=200m", "disk-low", "warn", 0),
        ("size=1g,nr_inodes=400", "inodes-low", "bad", 1),
        ("size=1g,nr_inodes=4000", "inodes-low", "warn", 0),
    ],
)
def test_little_room(person: Person, options: str, code: str, severity: str, status: int) -> None:
    """A disk that is about to be full, of bytes or of files, is told before agents stand still on it."""
    examined = elsewhere(person, ON_A_DISK.format(options=options))

    assert (examined.status, examined.codes) == (status, {code: severity})


def test_no_watches_left(person: Person) -> None:
    """Where the system watches no more folders for this user, that is tried out, not computed from limits."""
    instances = elsewhere(person, "echo 0 > /proc/sys/user/max_inotify_instances")
    watches = elsewhere(person, "echo 3 > /proc/sys/user/max_inotify_watches")

    assert instances.codes == watches.codes == {"not-watched": "warn"}
    assert "no further watcher may be made: Too many open files" in instances.of("not-watched")["seen"]
    assert "no further folder may be watched" in watches.of("not-watched")["seen"]


@pytest.mark.parametrize("lacking", [["renameat2"], ["renameat2", "link", "linkat"]])
def test_a_system_without_safe_renames(person: Person, lacking: list[str]) -> None:
    """Tried out in .hc: the fallbacks are named, and nothing of the trial stays."""
    before = sorted(person.layout.private.iterdir())
    through = [sys.executable, "-m", "tests.support.refusing", *lacking, "--"]
    examined = doctor_process(person, through=through)

    assert examined.codes == {"rename-fallback": "warn", "exchange-missing": "warn"}
    assert sorted(person.layout.private.iterdir()) == before


MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
30 27 0:39 / {place} rw,relatime - tmpfs under rw
31 27 0:40 / {place} rw,relatime shared:1 - {kind} server:/export rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
32 31 0:41 / {place}/outbox rw,relatime - tmpfs below rw
"""


@pytest.mark.parametrize(
    ("kind", "shared"), [("nfs4", True), ("cifs", True), ("9p", True), ("fuse.sshfs", True), ("xfs", False)]
)
def test_a_file_system_that_others_write_to(person: Person, kind: str, shared: bool) -> None:
    """What the system says of the mount that the company lies on decides, also where its name holds spaces."""
    mounts = person.here.parent / "mountinfo"
    mounts.write_text(MOUNTS.format(place=str(person.here).replace(" ", "\\040"), kind=kind))
    examiner = FolderExaminer(person.layout, SystemClock(), person.environ, runners={}, mounts=mounts)
    found = {finding.code: finding for finding in examiner.examine()}

    assert ("file-system-shared" in found) is shared
    assert kind in str(found["file-system-shared" if shared else "file-system"].seen)


def test_a_mount_with_spaces_in_its_name(tmp_path: Path, person: Person) -> None:
    """Spaces are written as octal codes there."""
    place = tmp_path / "a b"
    person.here.rename(place)
    moved = Person(place, person.capsys, dict(person.environ))

    test_a_file_system_that_others_write_to(moved, "nfs4", True)


def test_a_clock_that_was_set_back(person: Person) -> None:
    """Events and files of a time that is still to come: nothing waits for them, but a person should know."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    EventLog(person.layout.events_file, FakeClock(tomorrow)).append("ticket.added", ticket="TASK-1", data={"to": "todo"})
    person.drop("TASK-1", age=-86_400)
    examined = doctor(person)

    assert (examined.status, examined.codes) == (0, {"clock-set-back": "warn", "files-from-the-future": "warn"})
    assert tomorrow.isoformat()[:16] in examined.of("clock-set-back")["seen"]
    assert "tasks/todo/TASK-1.md" in examined.of("files-from-the-future")["seen"]


def test_a_slight_difference_of_clocks_is_no_fault(person: Person) -> None:
    """Machines that share a folder are never exactly together."""
    soon = datetime.now(UTC) + timedelta(seconds=30)
    EventLog(person.layout.events_file, FakeClock(soon)).append("ticket.added", ticket="TASK-1", data={"to": "todo"})

    assert doctor(person).codes == {}


def write_events(person: Person, count: int) -> Path:
    log = EventLog(person.layout.events_file, SystemClock())
    for number in range(count):
        log.append("ticket.added", ticket=f"TASK-{number}", data={"to": "todo"})
    return person.layout.events_file


def test_a_torn_event(person: Person) -> None:
    """The half line of a writer that died, at the end or closed off since, is told with its number."""
    log = write_events(person, 2)
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"seq": 3, "at"')
    at_the_end = doctor(person)
    write_events(person, 1)
    in_between = doctor(person)

    assert at_the_end.codes == in_between.codes == {"event-log-torn": "warn"}
    assert at_the_end.of("event-log-torn")["seen"].endswith("passed over: 3.")
    assert in_between.of("event-log-torn")["seen"].endswith("passed over: 3.")


def test_numbers_that_do_not_grow(person: Person) -> None:
    """Two writers, or a log put together by hand: programs that follow it would miss what stands in between."""
    log = write_events(person, 3)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines, lines[1], lines[2]]))
    examined = doctor(person)

    assert (examined.status, examined.codes) == (1, {"event-log-order": "bad"})
    assert examined.of("event-log-order")["seen"].endswith("in these lines: 4, 5.")


def test_a_whole_log_is_well(person: Person) -> None:
    """Its last number is said."""
    write_events(person, 3)

    assert doctor(person).of("event-log")["seen"] == "The event log is whole, up to event 3."


def test_without_git(person: Person) -> None:
    """No git, or no repository: what is changed can't be taken back."""
    (person.here / ".git").rename(person.here.parent / ".git-aside")
    assert doctor(person).codes == {"git-no-repository": "warn"}
    (person.here.parent / ".git-aside").rename(person.here / ".git")
    bin_ = person.here.parent / "bin"
    bin_.mkdir()
    for program in ("tmux", "sh", "date"):
        (bin_ / program).symlink_to(Path("/usr/bin") / program)
    person.environ["PATH"] = str(bin_)

    assert doctor(person).codes == {"git-missing": "warn"}


def test_a_disk_in_a_parent_repository_is_one(person: Person) -> None:
    """A company inside of a larger repository can take its files back; its memory's changes are not committed there."""
    (person.here / ".git").rename(person.here.parent / ".git")

    assert doctor(person).codes == {"memory-history-copies": "warn"}


def test_a_thousand_tickets_are_examined_in_a_moment(person: Person) -> None:
    """Examining stays usable in a large company: well below ten seconds with 1,000 tickets and their attempts."""
    for number in range(1_000):
        person.layout.ticket(f"T-{number}", State.DONE if number % 2 else State.BLOCKED).write_text("---\ntitle: x\n---\n")
        folder = person.layout.run(f"T-{number}", 1)
        folder.mkdir(parents=True)
        (folder / "prompt.md").touch(mode=0o600)
    started = datetime.now(UTC)
    examined = doctor(person)

    assert examined.codes == {}
    assert (datetime.now(UTC) - started).total_seconds() < 10
