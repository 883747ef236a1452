# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint setup record clean

demo: setup
	@$(BIN)/repowright demo $(if $(KEEP),--keep)

test: setup $(VENV)/dev
	@$(BIN)/pytest -n auto --dist loadgroup

lint: setup $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

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
