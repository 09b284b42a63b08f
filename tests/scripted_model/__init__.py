"""A model server on loopback that plays a script: the real `claude` and `codex` talk to it as to their own model.

    plan = {"TASK-001": [Run("make site"), *hand_in("# Steps …"), Say("done")]}
    with ScriptedModel(plan) as model:
        env = {**os.environ, **model.claude_env(tmp_path / "claude", trusted=[workdir])}
        …
    assert model.turns[0].prompt == "…"

A conversation's script is chosen by the first marker that occurs in its prompts; a plain list is the script of all. Which step
comes next is read off the request (how often the model has answered in it), so retries repeat a step and a resumed
conversation goes on behind its last one.
"""

from tests.scripted_model.script import Fail, Hang, Plan, Run, Say, Step, Turn, Use, Write, hand_in
from tests.scripted_model.server import ScriptedModel

__all__ = ["Fail", "Hang", "Plan", "Run", "Say", "ScriptedModel", "Step", "Turn", "Use", "Write", "hand_in"]
