// Parts by their texts, and what does not go with them.
#include "experiments/config/keys/shard.h"

#include <fmt/format.h>

#include <string_view>

#include "experiments/config/keys/conflict_error.h"
#include "experiments/config/keys/texts.h"
#include "experiments/config/keys/units.h"
#include "rdma/base/text/split.h"
#include "rdma/base/value_text.h"

namespace verbena::experiments {
namespace {

constexpr std::uint64_t kMostShards = 1024;

std::string what_is_wrong_with_shard(const std::string& text) {
  if (parse_shard(text)) return "";
  return fmt::format(
      "expected NUMBER/COUNT, such as 2/3 for the second of three parts; COUNT is 1 to {}, NUMBER "
      "1 to COUNT",
      kMostShards);
}

std::string what_is_wrong_with_directories(const std::string& text) {
  for (const std::string& directory : split(text, ',')) {
    if (directory.empty()) return "expected directories of --out with a comma between them";
    if (std::string wrong = check_directory_name(directory); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", number, count); }

std::optional<Shard> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto number = parse_whole(std::string_view(text).substr(0, slash));
  const auto count = parse_whole(std::string_view(text).substr(slash + 1));
  if (!number || !count || *count > kMostShards) return std::nullopt;
  if (*number < 1 || *number > *count) return std::nullopt;
  return Shard{.number = static_cast<std::uint32_t>(*number),
               .count = static_cast<std::uint32_t>(*count)};
}

Shard ShardOptions::chosen() const { return parse_shard(shard).value_or(Shard()); }

std::vector<std::string> ShardOptions::directories() const {
  return gather.empty() ? std::vector<std::string>() : split(gather, ',');
}

std::vector<Parameter> shard_parameters(ShardOptions& options) {
  return {
      {.name = "shard",
       .help = "measure only this part of the points, such as 2/3, into --out; --gather puts the "
               "parts of several machines together",
       .target = &options.shard,
       .check = what_is_wrong_with_shard,
       .placeholder = "NUMBER/COUNT"},
      {.name = "gather",
       .help =
           "take the points from these directories, the --out of shards, instead of measuring them",
       .target = &options.gather,
       .check = what_is_wrong_with_directories,
       .placeholder = "DIR,..."},
  };
}

void check_shards(const ShardOptions& options, const std::string& out, bool fresh) {
  for (const auto& [flag, value] :
       {std::pair<const char*, const std::string&>{"shard", options.shard},
        {"gather", options.gather}}) {
    if (value.empty() || !out.empty()) continue;
    throw ConflictError({flag}, fmt::format("--{} {}: needs --out DIR, where the points are kept",
                                            flag, refused_text(value)));
  }
  if (options.gather.empty()) return;
  if (fresh) {
    throw ConflictError(
        {"gather", "fresh"},
        fmt::format(
            "--gather {}: takes points that are already measured, but --fresh measures all again",
            refused_text(options.gather)));
  }
  if (!options.shard.empty()) {
    throw ConflictError({"gather", "shard"},
                        fmt::format("--gather {}: takes all points, but --shard {} only a part",
                                    refused_text(options.gather), refused_text(options.shard)));
  }
}

}  // namespace verbena::experiments
