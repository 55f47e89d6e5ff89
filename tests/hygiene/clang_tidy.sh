#!/usr/bin/env bash
# clang_tidy.sh REPORT CONFIG SOURCE FLAG...: writes what clang-tidy finds in a source and in the repository's headers that it includes.
# Findings are no error of this script; a clang-tidy that does not come to an end is.
set -uo pipefail

report=$1 config=$2 source=$3
shift 3
clang-tidy-16 --quiet --config-file="$config" --header-filter='(rdma|simnic|txn|workloads|experiments|tests)/' "$source" -- "$@" \
  >"$report.out" 2>"$report.err"
code=$?
if ((code > 1)) || { ((code == 1)) && [[ ! -s $report.out ]]; }; then
  cat "$report.err" >&2
  exit 1
fi
sed "s|$PWD/||g" "$report.out" >"$report"
