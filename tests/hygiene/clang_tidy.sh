#!/usr/bin/env bash
# clang_tidy.sh REPORT CONFIG PLUGIN SOURCE FLAG...: writes what clang-tidy finds in a source and in the repository's headers that it
# includes. Findings are no error of this script; a clang-tidy that does not come to an end is. PLUGIN is that of own_code_only.cc, or
# empty: the same findings take three times as long.
set -uo pipefail

report=$1 config=$2 plugin=$3 source=$4
shift 4
own_code_only=(${plugin:+"--load=$PWD/$plugin" --checks=verbena-own-code-only})
clang-tidy-16 --quiet "${own_code_only[@]}" --config-file="$config" \
  --header-filter='(rdma|simnic|txn|workloads|experiments|tests)/' "$source" -- "$@" \
  >"$report.out" 2>"$report.err"
code=$?
if ((code > 1)) || { ((code == 1)) && [[ ! -s $report.out ]]; }; then
  cat "$report.err" >&2
  exit 1
fi
sed "s|$PWD/||g" "$report.out" >"$report"
