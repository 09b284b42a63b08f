"""What runs in an agent's window: `python -I -S launcher.py RUN_DIR [stay]`. Ends with the last attempt's exit status.

With `stay` it waits for the agent's next attempt. `attempt.py` and all that it imports (`engine_process.py`, `tree.py`,
`cgroup.py`, `processes.py`, `records.py`, `standby.py`, `screen.py`) stand between a ticket and its engine: they import
little, and `typing` (10 ms) not at all.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # -I and -S leave our package out of the path. Last in it, it can hide nothing of the standard library.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))  # noqa: PTH120
    from hermes_company.terminal.attempt import run_all

    # Without taking the interpreter down: the exit record is written, and the next attempt may wait for this pane.
    os._exit(run_all(sys.argv[1], stays=sys.argv[2:] == ["stay"]))
