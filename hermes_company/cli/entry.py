"""Where `hc` begins."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path

from hermes_company.cli.boundary import call


def main() -> None:
    """Run the command line and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that can't show Chinese must not end a command half-way.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(call(sys.argv[1:], os.environ, _here()))


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        # Deleted under the person's feet: where it was is the best answer, and the refusal will name it.
        return Path(os.environ.get("PWD", "/"))
