#!/usr/bin/env bash
# planted.sh FILE... passes when all of the files are there: sources to which their patches could be applied, which Bazel has to make first.
set -euo pipefail

for planted in "$@"; do
  [[ -s $planted ]] || { echo "$planted is empty" >&2; exit 1; }
done
(($# > 0))
