#!/bin/sh
# Runs a Python program with the packages of tests/requirements.txt where test.sh has installed them, else without.
# usage: with_python.sh PROGRAM ARGUMENT...
venv=$(dirname "$0")/../.venv/bin/python3
[ -x "$venv" ] && exec "$venv" -B "$@"
exec python3 -B "$@"
