#!/usr/bin/env bash
# Brings another version of a Python wheel into deps/wheels and prints the line
# that its door in deps/ then needs.
#   scripts/update_wheel.sh micropip 0.11.1
set -euo pipefail
cd "$(dirname "$0")/../deps/wheels"
rm -f "$1"-*.whl
pip download --quiet --no-deps --only-binary=:all: --python-version 3.14 --dest . "$1==$2"
sha256sum "$1"-*.whl
