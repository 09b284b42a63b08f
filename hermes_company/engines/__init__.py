"""One file an engine: how to start, resume and check one command line tool."""
