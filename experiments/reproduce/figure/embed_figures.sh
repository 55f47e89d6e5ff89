#!/bin/sh
# Writes C++ that holds the given files, each below a directory called figures, as text.
set -eu
echo '// Generated from experiments/figures.'
echo '#include "experiments/reproduce/figure/figure_library.h"'
echo '#include <map>'
echo 'namespace verbena::experiments {'
echo 'namespace {'
echo 'const std::map<std::string, std::string, std::less<>>& all_files() {'
echo '  static const std::map<std::string, std::string, std::less<>> all = {'
for file in "$@"; do
  printf '    {"%s", R"FIGURE(' "${file##*/figures/}"
  cat "$file"
  printf ')FIGURE"},\n'
done
echo '  };'
echo '  return all;'
echo '}'
echo '}  // namespace'
cat <<'END'
std::vector<std::string> built_in_figure_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : all_files()) paths.push_back(entry.first);
  return paths;
}
const std::string* built_in_figure_text(std::string_view path) {
  const auto found = all_files().find(path);
  return found == all_files().end() ? nullptr : &found->second;
}
}  // namespace verbena::experiments
END
