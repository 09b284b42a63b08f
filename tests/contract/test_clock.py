"""What every clock promises, the real one and the fake."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.clock import Clock
from tests.fakes.clock import FakeClock


@pytest.fixture(params=[SystemClock, FakeClock])
def clock(request: pytest.FixtureRequest) -> Clock:
    """Each clock in turn."""
    made: Clock = request.param()
    return made


def test_wall_time_is_aware_and_utc(clock: Clock) -> None:
    """The wall clock answers in UTC, so that two times can always be compared."""
    assert clock.now().utcoffset() == timedelta(0)


def test_boot_time_never_goes_back(clock: Clock) -> None:
    """Durations measured with boot time are never negative."""
    first = clock.boottime()

    assert clock.boottime() >= first


def test_waking_time_is_part_of_boot_time(clock: Clock) -> None:
    """Durations in waking time are never negative, and nobody is awake for longer than the machine has been on."""
    first = clock.awake()

    assert first <= clock.awake() <= clock.boottime()


def test_fake_sleeps_without_being_awake() -> None:
    """Sleep shows on the wall clock and on boot time, not on waking time."""
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC), boottime=50.0)

    clock.sleep(3_600)

    assert (clock.now(), clock.boottime(), clock.awake()) == (datetime(2026, 1, 1, 1, tzinfo=UTC), 3_650.0, 50.0)


def test_fake_wall_clock_jumps_alone() -> None:
    """A jump of the fake's wall clock leaves boot time, as NTP does."""
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC), boottime=5.0)

    clock.jump(-3600)

    assert (clock.now(), clock.boottime()) == (datetime(2025, 12, 31, 23, tzinfo=UTC), 5.0)


def test_fake_moves_both_when_time_passes() -> None:
    """Time that passes on the fake shows on both of its clocks."""
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC), boottime=5.0)

    clock.advance(90)

    assert (clock.now(), clock.boottime()) == (datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC), 95.0)


def test_fake_refuses_what_no_clock_can_do() -> None:
    """The fake is as strict as the real thing: no naive time, no time that passes backwards."""
    with pytest.raises(ValueError, match="aware"):
        FakeClock(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="backwards"):
        FakeClock().advance(-1)
