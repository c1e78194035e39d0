#!/usr/bin/env bash
# Brings another version of micropip's wheel into deps/wheels and prints the
# lines that deps/micropip.ts then needs.
#   scripts/update_micropip.sh 0.11.1
set -euo pipefail
cd "$(dirname "$0")/../deps/wheels"
rm -f micropip-*.whl
pip download --quiet --no-deps --only-binary=:all: --python-version 3.14 --dest . "micropip==$1"
sha256sum micropip-*.whl
