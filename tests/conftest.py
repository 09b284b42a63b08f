"""What holds for every test, however the tests were started."""

from __future__ import annotations

import signal

# A shell starts what runs in its background deaf to Ctrl-C, and processes inherit that: programs under test would never hear
# the Ctrl-C that a test sends them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
