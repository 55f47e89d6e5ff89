// Arguments are read without the rules of a command line, which they may have broken.
#include "experiments/config/membership.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "experiments/config/config_file.h"
#include "experiments/config/keys/fabric_command.h"
#include "experiments/config/keys/texts.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/split.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

using Arguments = std::vector<std::string>;

// The values of a flag.
std::vector<std::string> values_of(const Arguments& arguments, const std::string& flag) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with(flag + "="))
      values.push_back(arguments[i].substr(flag.size() + 1));
    if (arguments[i] == flag && i + 1 < arguments.size()) values.push_back(arguments[++i]);
  }
  return values;
}

// Assignments of --config; none where that cannot be read, or, like a pipe, not twice.
std::vector<Assignment> configured(const Arguments& arguments) {
  const std::vector<std::string> files = values_of(arguments, "--config");
  std::error_code error;
  if (files.size() != 1 || !std::filesystem::is_regular_file(files[0], error)) return {};
  try {
    const ConfigFile file = open_config(files[0]);
    CommandLine line;
    line.command = arguments[0] == "bench" ? Command::kBench : Command::kRun;
    line.operation = operation_of_results(file);
    return read_config(file, line);
  } catch (const ConfigurationError&) {
    return {};
  }
}

// From the layer that wins. "" where nothing was said, or two things.
std::string said(const Arguments& arguments, const std::vector<Assignment>& config,
                 const std::string& key) {
  std::vector<std::string> sets = values_of(arguments, "--set");
  std::erase_if(sets, [&](const std::string& set) { return !set.starts_with(key + "="); });
  for (std::string& set : sets) set.erase(0, key.size() + 1);
  const std::vector<std::string> flags = values_of(arguments, "--" + key);
  if (sets.size() > 1 || flags.size() > 1) return "";
  if (!sets.empty()) return sets[0];
  if (!flags.empty()) return flags[0];
  const auto found = std::ranges::find(config, key, &Assignment::key);
  return found == config.end() ? "" : found->value;
}

}  // namespace

std::optional<Membership> membership_of(const std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "run" && arguments[0] != "bench")) return std::nullopt;
  const std::vector<Assignment> config = configured(arguments);
  const std::string peers = said(arguments, config, "peers");
  const auto node = parse_whole(said(arguments, config, "node"));
  if (!check_peers(peers).empty() || !node) return std::nullopt;
  Membership membership{.peers = split(peers, ',')};
  if (*node >= membership.peers.size() || membership.peers.size() > kMostNodes) return std::nullopt;
  membership.node = static_cast<NodeId>(*node);
  return membership;
}

}  // namespace verbena::experiments
