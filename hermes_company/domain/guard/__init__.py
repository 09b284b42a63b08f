"""Holds agents to the company's rules: reads each tool call before it is carried out, and says no with a sentence.

Pure: what it has to ask the machine comes in as `World`. Named tuples and plain classes only, few imports: it runs before every
tool call of an agent (see `docs/adr/0002-guard.md`).
"""

from hermes_company.domain.guard.ground import Ground
from hermes_company.domain.guard.tools import Asked, Verdict, World, judge

__all__ = ["Asked", "Ground", "Verdict", "World", "judge"]
