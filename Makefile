# Set-up and checks. Everything that is installed lives in .venv and .tools; `make clean` takes it away.
.DEFAULT_GOAL := help
ENGINE ?= shell
WORKERS ?= 2

.PHONY: help setup demo test crash-test bench bench-memory lint format types imports wheel-check clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: .venv/.installed ## Python environment, tmux, git
	@.ci/need tmux git

.venv/.installed: pyproject.toml
	@.ci/venv

demo: setup ## a company at work in a temporary folder; ENGINE=claude-code or codex uses your own login
	.venv/bin/hc demo --engine $(ENGINE)

test: setup ## all tests, with the real claude and codex from npm against a model server of our own
	@.ci/need node npm
	.venv/bin/python -m tests.support.engine_binaries
	.venv/bin/pytest -n $(WORKERS)

crash-test: setup ## 3,000 tickets while the kernel is killed 600 times; every change to the disk fails once
	.venv/bin/python -m tests.crash

bench: setup ## the kernel beside other queues; writes docs/benchmarks.md
	.venv/bin/python -m benchmarks.kernel

bench-memory: setup ## recall: quality and speed (and `python -m benchmarks.memory.public` on Debian)
	.venv/bin/python -m benchmarks.memory.quality
	.venv/bin/python -m benchmarks.memory.speed

lint: setup ## format and lint
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .

format: setup ## put the code into its format
	.venv/bin/ruff format .

types: setup ## mypy, strict
	.venv/bin/mypy

imports: setup ## who may import whom
	.venv/bin/lint-imports

wheel-check: setup ## build the wheel, install it elsewhere, use it
	@.ci/wheel-check

clean: ## take away what was installed and built
	rm -rf .venv .tools dist build
