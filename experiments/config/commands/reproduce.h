// `verbena reproduce`, configured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/config/keys/command.h"
#include "experiments/config/keys/shard.h"

namespace verbena::experiments {

struct ReproduceCommand : CommandOptions {
  std::optional<std::uint32_t> jobs;    ///< points at once; nothing: as many as fit the machine
  std::string out = "verbena-figures";  ///< directory
  bool fresh = false;
  ShardOptions shards = {};
  bool strict = false;
  bool quick = false;
  std::string as;  ///< see load_figure; empty: as the figures say
  /// Limit on measuring points longer until claims are decided, as a multiple of the time that
  /// figures say. Empty: see decide().
  std::optional<std::uint32_t> decide_within;
  bool progress = false;
  bool list = false;

  Keys keys() override;
  void check(const Said& said) override;
};

}  // namespace verbena::experiments
