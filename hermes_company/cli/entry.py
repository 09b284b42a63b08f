"""Where `hc` begins."""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from hermes_company.cli.boundary import call

# Most commands are over before there is anything to collect; looking for it all the same takes a tenth of their time.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def main() -> NoReturn:
    """Run the command line and end the process with its status."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that can't show Chinese must not end a command half-way.
            stream.reconfigure(errors="backslashreplace")
    status = call(sys.argv[1:], os.environ, _here())
    # What was printed is flushed and what was opened is closed; taking Python apart as well takes another tenth.
    os._exit(status)


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        # Deleted under the person's feet: where it was is the best answer, and the refusal will name it.
        return Path(os.environ.get("PWD", "/"))
