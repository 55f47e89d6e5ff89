// Division of many points among machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// One of `count` parts of all points, numbered from 1. By default the whole.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t count = 1;

  bool is_whole() const { return count == 1; }

  /// True if this part has the point at `index` of the order in which points are dealt out.
  bool has(std::size_t index) const { return index % count == number - 1; }

  /// "2/3".
  std::string text() const;
};

/// Parses "2/3"; nothing when the text is no valid part.
std::optional<Shard> parse_shard(const std::string& text);

/// The user's settings of shards.
struct ShardOptions {
  std::string shard;   ///< empty: all points
  std::string gather;  ///< directories of results, a comma between them; empty: none

  Shard chosen() const;
  std::vector<std::string> directories() const;
};

/// The parameters --shard and --gather.
std::vector<Parameter> shard_parameters(ShardOptions& options);

/// Throws ConflictError when a shard's results would not be kept, or when `fresh` would ignore the
/// gathered results.
void check_shards(const ShardOptions& options, const std::string& out, bool fresh);

}  // namespace verbena::experiments
