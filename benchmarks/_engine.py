"""The engine of the measurements: `sh` with a script, named by `engines.bench.command`."""

from __future__ import annotations

from hermes_company.engines.shell import Shell
from hermes_company.ports.engine import Job, Launch


class Bench(Shell):
    """See `Engine`. Nothing of an engine but its process: what is measured is what comes before and after it."""

    name = "bench"

    def start(self, job: Job) -> Launch:
        """See `Engine.start`."""
        return Launch(argv=("/bin/sh", job.settings.command), prompt_as_argument=False, pass_env=("BENCH_*",))

    resume = start
