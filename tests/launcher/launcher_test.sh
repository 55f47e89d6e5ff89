#!/usr/bin/env bash
# The launcher keeps what its header promises: in a tree of its own, with stand-ins for Bazel and for what installs packages.
set -uo pipefail

launcher=$PWD/verbena
tree=$TEST_TMPDIR/tree
tools=$TEST_TMPDIR/tools
calls=$TEST_TMPDIR/calls
mkdir -p "$tree"/{third_party,rdma,experiments,tests/softroce,out/experiments} "$tools"
cp "$launcher" "$tree/verbena"
printf '[build]\nbash\n\n[test]\ncoreutils\n\n[guest]\ngrep\n' >"$tree/third_party/debian-packages.txt"
echo one >"$tree/rdma/source.cc"
echo two >"$tree/rdma/other.cc"
ln -s out "$tree/bazel-bin"

# tool NAME: a program that notes how it was called, then does what standard input says.
tool() {
  {
    echo '#!/usr/bin/env bash'
    echo "echo \"$1 \$*\" >>'$calls'"
    cat
  } >"$tools/$1"
  chmod +x "$tools/$1"
}
tool bazel <<'X'
echo "bazel speaks"
[[ $1 == test ]] && echo "require=$VERBENA_REQUIRE_GUEST kernel=$VERBENA_GUEST_KERNEL" && exit 3
grep -q broken rdma/source.cc && exit 1
printf '#!/bin/sh\necho "program $(cat %s/rdma/source.cc) in $(pwd): $*"\nexit 42\n' "$PWD" >out/experiments/verbena
chmod +x out/experiments/verbena
X
tool apt-get <<'X'
[[ $* == *install* ]] && exit 100
exit 0
X
tool sudo <<<'exec "$@"'
printf '#!/bin/sh\necho /kernel\n' >"$tree/tests/softroce/fetch-kernel"
chmod +x "$tree/tests/softroce/fetch-kernel"
PATH=$tools:$PATH

failures=0
# start ARGUMENT...: starts the launcher; sets output, errors, code, called.
start() {
  : >"$calls"
  output=$("$tree/verbena" "$@" 2>"$TEST_TMPDIR/errors")
  code=$?
  errors=$(<"$TEST_TMPDIR/errors")
  called=$(<"$calls")
}
# expect WHAT ACTUAL PATTERN
expect() {
  # shellcheck disable=SC2053  # a pattern
  [[ $2 == $3 ]] && return
  printf 'FAILED: %s\n  got    %s\n  wanted %s\n' "$1" "$2" "$3"
  failures=1
}
built() {
  expect "$1: built" "$called" "bazel build*"
  expect "$1: exit code" "$code" 42
}
not_built() {
  expect "$1: not built" "$called" ""
  expect "$1: exit code" "$code" 42
}

start
expect "usage without arguments" "$errors" "usage:*"
expect "usage without arguments: exit code" "$code" 2
expect "usage builds nothing" "$called" ""
start --help
expect "usage on demand" "$output" "usage:*"
expect "usage on demand: exit code" "$code" 0

cd "$TEST_TMPDIR" || exit
start run --flag 'two words'
built "first start"
expect "output is the program's only" "$output" "program one in $TEST_TMPDIR: run --flag two words"
start run
not_built "second start"
start help
expect "the program's help" "$output" "program one in *: help"

touch -r "$tree/rdma/source.cc" "$TEST_TMPDIR/time"
echo ONE >"$tree/rdma/source.cc"
touch -r "$TEST_TMPDIR/time" "$tree/rdma/source.cc"
start run
built "a changed file with the old time"
expect "the changed program" "$output" "program ONE *"
rm "$tree/rdma/other.cc"
start run
built "a removed file"
touch "$tree/rdma/BUILD"
start run
built "a new file"
mv "$tree/rdma/BUILD" "$tree/rdma/BUILD.old"
start run
built "a renamed file"
touch "$tree/README.md"
start run
not_built "a changed document"
echo '#' >>"$tree/out/experiments/verbena"
start run
built "another binary in its place"
rm "$tree/out/experiments/verbena"
start run
built "no binary in its place"
ln -s "$tree/verbena" "$TEST_TMPDIR/link"
output=$(cd / && "$TEST_TMPDIR/link" run)
expect "through a link, from elsewhere" "$output" "program ONE in /: run"

echo broken >"$tree/rdma/source.cc"
start run
expect "a failed build: exit code" "$code" 1
expect "a failed build: no output" "$output" ""
start run
expect "a failed build is tried again" "$called" "bazel build*"
echo mended >"$tree/rdma/source.cc"
start run
built "a mended file"

start test --config=asan
expect "all tests" "$called" "bazel test --config=asan //..."
expect "guests are required" "$output" "*require=1 kernel=/kernel"
expect "Bazel's exit code" "$code" 3
start test //rdma:a //rdma:b
expect "some tests" "$called" "bazel test //rdma:a //rdma:b"

printf '\n[build]\nno-such-package-1\nno-such-package-2\n' >>"$tree/third_party/debian-packages.txt"
start run
expect "a missing package is installed" "$called" \
  "*apt-get update*apt-get install *--no-install-recommends no-such-package-1 no-such-package-2"
expect "it says what it installs" "$errors" "*installing Debian packages: no-such-package-1 no-such-package-2*"
expect "a package that cannot be installed: exit code" "$code" 1
exit "$failures"
