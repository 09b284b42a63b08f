#!/bin/sh
# What an engine reports becomes one line of signals.jsonl in the run folder. Called by the engine as
# `sh "$HC_RUN_DIR/hook.sh" EVENT` with the report on standard input.
[ -n "${HC_RUN_DIR-}" ] || exit 0
umask 077

if [ "$1" != PostToolUse ]; then
  exec "$HC_PYTHON" -I -S "$HC_RUN_DIR/hook.py" "$1"
fi

# A heartbeat: after every tool call, so no Python. Nothing of the report is kept, so it is not even read.
printf '{"event":"PostToolUse","at":%s}\n' "$(date +%s)" >>"$HC_RUN_DIR/signals.jsonl"

# The call may have been the one that wrote the marker. Opened for reading too, so that it never waits for a listener.
if [ -p "${HC_DOORBELL-}" ] && { [ -e "$HC_OUTBOX/DONE" ] || [ -e "$HC_OUTBOX/BLOCKED" ]; }; then
  printf . 1<>"$HC_DOORBELL"
fi
exit 0
