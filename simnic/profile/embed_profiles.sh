#!/bin/sh
# Writes C++ that holds the given profiles, each "<kind>/<name>.toml" under a directory called profiles, as text.
set -eu
echo '// Generated from simnic/profiles.'
echo '#include "simnic/profile/profile.h"'
echo '#include <map>'
echo 'namespace verbena::simnic {'
echo 'namespace {'
echo 'const std::map<std::pair<std::string, std::string>, std::string>& all_profiles() {'
echo '  static const std::map<std::pair<std::string, std::string>, std::string> all = {'
for file in "$@"; do
  kind=$(basename "$(dirname "$file")")
  name=$(basename "$file" .toml)
  printf '    {{"%s", "%s"}, R"PROFILE(' "$kind" "$name"
  cat "$file"
  printf ')PROFILE"},\n'
done
echo '  };'
echo '  return all;'
echo '}'
echo '}  // namespace'
cat <<'END'
std::vector<std::string> built_in_profiles(std::string_view kind) {
  std::vector<std::string> names;
  for (const auto& [key, text] : all_profiles()) {
    if (key.first == kind) names.push_back(key.second);
  }
  return names;
}
const std::string* built_in_profile(std::string_view kind, std::string_view name) {
  const auto found = all_profiles().find({std::string(kind), std::string(name)});
  return found == all_profiles().end() ? nullptr : &found->second;
}
}  // namespace verbena::simnic
END
