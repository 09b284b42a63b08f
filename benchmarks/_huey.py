"""huey, driven in its own Python. Its consumer imports `huey` from here; see `_driver.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from huey import SqliteHuey

huey = SqliteHuey(filename=os.environ["HUEY_FILE"])


@huey.task()
def job(ticket: str, outbox: str) -> None:
    environ = {**os.environ, "HC_TICKET": ticket, "HC_OUTBOX": outbox}
    subprocess.run(["/bin/sh", os.environ["HUEY_JOB"]], env=environ, check=True)


if __name__ == "__main__":
    # Under the name that the consumer knows it by.
    from _huey import job as enqueue

    for line in sys.stdin:
        ticket, outbox = line.split()[1:]
        enqueue(ticket, outbox)
        print(json.dumps(ticket), flush=True)
