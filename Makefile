# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests wait much of their time: for servers, for git, for what must not happen.
WORKERS ?= $(shell expr 3 \* $$(getconf _NPROCESSORS_ONLN) / 2)
# Modules are compiled once, however many processes import them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint static audit licences lock walk-image setup record clean

demo: setup
	@$(BIN)/repowright demo $(if $(KEEP),--keep)

test: setup $(VENV)/dev
	@scripts/need-system-tools npm
	@$(BIN)/pytest -n $(WORKERS) --dist loadgroup

lint: setup $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@MYPYPATH=scripts/walk_image $(BIN)/mypy scripts/*.py scripts/walk_image/*.py
	$(BIN)/lint-imports

# What is no Python: workflows, actions, the image, compose and Kubernetes, shell, secrets, licences.
WORKFLOWS := $(wildcard .github/workflows/*.yml) bot/forge/workflows/repowright-check.yml
ACTIONS := $(wildcard actions/*/action.yml)
SHELL_SCRIPTS := .ci/run scripts/need-system-tools deploy/make-secrets deploy/backup $(wildcard bot/forge/embedded/git/*.sh)
# By their form alone; entropy, the word `password` and addresses with one are all over tests and docs.
NOT_BY := $(addprefix --disable-plugin ,KeywordDetector HexHighEntropyString Base64HighEntropyString BasicAuthDetector)

static: export PATH := $(CURDIR)/$(BIN):$(PATH)
static: setup $(VENV)/dev
	actionlint $(WORKFLOWS)
	zizmor --quiet --offline --persona auditor --config .github/zizmor.yml .github actions bot/forge/workflows
	check-jsonschema --quiet --builtin-schema vendor.github-actions $(ACTIONS)
	check-jsonschema --quiet --builtin-schema vendor.github-issue-forms $(wildcard .github/ISSUE_TEMPLATE/*.yml)
	check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	python scripts/composite_shell.py $(ACTIONS)
	shellcheck $(SHELL_SCRIPTS)
	hadolint deploy/Dockerfile
	git ls-files -z | xargs -0 -n 500 detect-secrets-hook $(NOT_BY)
	python scripts/licences.py
	python scripts/audit.py $(AUDIT)

audit: setup $(VENV)/dev
	@PATH="$(CURDIR)/$(BIN):$$PATH" python scripts/audit.py --must-answer

licences: setup $(VENV)/dev
	@PATH="$(CURDIR)/$(BIN):$$PATH" python scripts/licences.py --write

# Pin anew what the image is made of, after a change of dependencies.
lock: setup $(VENV)/dev
	@echo 'setuptools>=77' | $(BIN)/uv pip compile --quiet pyproject.toml - --extra postgres --upgrade \
		--python-version 3.11 --generate-hashes --no-header --no-emit-index-url -o deploy/requirements.txt

# Carry out the Dockerfile without Docker, and try what comes of it. Needs root and debootstrap.
walk-image: setup $(VENV)/dev
	@$(BIN)/python scripts/walk_image

setup: $(VENV)/ready
	@scripts/need-system-tools

$(VENV)/ready: pyproject.toml
	@echo "Setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: pyproject.toml
	@echo "Setting up the test tools (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# Record an example anew: make record EXAMPLE=evensteven MAILBOX=folder, and answer the requests
# that appear in the folder (docs/mailbox.md).
record: setup
	$(BIN)/repowright run examples/$(EXAMPLE) --out $(MAILBOX)-out --backend mailbox:$(MAILBOX) \
		--config examples/$(EXAMPLE)/recording/settings.yaml --record examples/$(EXAMPLE)/recording

clean:
	rm -rf $(VENV) build dist *.egg-info
