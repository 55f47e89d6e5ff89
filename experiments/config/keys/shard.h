// Many points, cut among machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// One of `count` parts of all points, counted from 1; by default all of them.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t count = 1;

  bool is_whole() const { return count == 1; }

  /// Tells whether the point at `index` of the order in which points are dealt out is its own.
  bool has(std::size_t index) const { return index % count == number - 1; }

  /// "2/3".
  std::string text() const;
};

/// Reads "2/3"; nothing when it is no part that there is.
std::optional<Shard> parse_shard(const std::string& text);

/// Settings of users for it.
struct ShardOptions {
  std::string shard;   ///< empty: all points
  std::string gather;  ///< directories of results, a comma between them; empty: none

  Shard chosen() const;
  std::vector<std::string> directories() const;
};

/// --shard and --gather.
std::vector<Parameter> shard_parameters(ShardOptions& options);

/// Throws ConflictError where a shard would not be kept, or where `fresh` would leave nothing of
/// what is gathered.
void check_shards(const ShardOptions& options, const std::string& out, bool fresh);

}  // namespace verbena::experiments
