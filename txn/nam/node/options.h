// Options of NAM-DB for users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "txn/nam/node_options.h"
#include "txn/nam/records/layout.h"
#include "txn/system.h"

namespace verbena::txn::nam {

struct Options {
  std::string name;
  std::string description;
  std::string source;
  std::uint32_t memory_nodes = 0;    ///< 0: half of the nodes without the oracle
  std::uint32_t memory_workers = 1;  ///< threads of each node that does not compute
  Oracle oracle = Oracle::kVector;
  bool naive = false;  ///< true: only the counter is allowed
  std::uint32_t oracles = 1;
  bool oracle_on_memory = false;
  std::uint32_t versions = 3;
  std::uint32_t bucket_slots_percent = 150;
  std::uint32_t first_buckets = 0;
  std::uint32_t overflow_kib = 0;
  NodeOptions node = {};
};

/// Describes the section "nam", whose targets are in `options`.
std::vector<ParameterSection> parameters(Options& options);

}  // namespace verbena::txn::nam
