#!/bin/sh
# Writes C++ that holds the given systems, each "<name>.toml", as text.
set -eu
echo '// Generated from txn/systems.'
echo '#include "txn/plan/plan_file.h"'
echo 'namespace verbena::txn {'
echo 'const std::map<std::string, std::string>& built_in_systems() {'
echo '  static const std::map<std::string, std::string> all = {'
for file in "$@"; do
  printf '    {"%s", R"SYSTEM(' "$(basename "$file" .toml)"
  cat "$file"
  printf ')SYSTEM"},\n'
done
echo '  };'
echo '  return all;'
echo '}'
echo '}  // namespace verbena::txn'
