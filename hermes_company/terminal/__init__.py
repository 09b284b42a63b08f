"""tmux and the processes in it."""
