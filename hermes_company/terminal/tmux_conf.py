"""The configuration of the company's tmux server. A person's own `~/.tmux.conf` is not read: one line of it can end it."""

from __future__ import annotations

from hermes_company.domain.settings import TmuxSettings

_CONF = """\
# Written by hc; changes made here are lost.

# The server and its windows stay until somebody ends them.
set -s exit-empty off
set -g destroy-unattached off
set -g remain-on-exit on

# Must be set before a window is made.
set -g history-limit {history}
set -g default-size {width}x{height}

set -g default-terminal tmux-256color
set -s escape-time 20
set -g mouse on
set -g base-index 0
set -g pane-base-index 0

set -g status-style bg=colour236,fg=colour252
set -g status-left ' #{{session_name}} '
set -g status-left-length 24
set -g status-right ' %H:%M '
set -g window-status-separator ''
set -g window-status-format ' #W#{{?pane_dead, (ended),}} '
set -g window-status-current-format '#[bg=colour31,fg=colour231] #W#{{?pane_dead, (ended),}} '
"""


def tmux_conf(settings: TmuxSettings) -> str:
    """The file's text."""
    return _CONF.format(history=settings.history_lines, width=settings.width, height=settings.height)
