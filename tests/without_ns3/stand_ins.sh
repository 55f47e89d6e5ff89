#!/usr/bin/env bash
# stand_ins.sh LIBRARY...: makes libraries with all that SimGrid wants of ns-3: functions that return zero.
set -euo pipefail

simgrid=$(gcc -print-file-name=libsimgrid.so)
source=$(mktemp "${TMPDIR:-/tmp}/stand_ins.XXXXXX.s")
trap 'rm -f "$source"' EXIT
{
  echo .text
  nm --dynamic --undefined-only "$simgrid" | awk '$2 ~ /3ns3/ { print ".globl " $2 "\n.type " $2 ", @function\n" $2 ":" }'
  # Some are asked for as data, such as the tables of virtual functions.
  printf '  xorl %%eax, %%eax\n  ret\n.zero 4096\n.section .note.GNU-stack, "", @progbits\n'
} >"$source"
for library in "$@"; do
  gcc -shared -nostdlib -o "$library" "$source"
done
