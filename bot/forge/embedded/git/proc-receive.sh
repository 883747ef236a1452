#!/bin/sh
# Git asks here which of the pushed refs may move; the server says in the environment who pushes.
exec "${EMBEDDED_GITHUB_PYTHON:?push through the embedded GitHub, not into its folder}" -I -S "$EMBEDDED_GITHUB_PUSH_CHECK"
