// Counters of operations of PRISM-RS.
#pragma once

#include "txn/prism/measures.h"
#include "txn/system_info.h"

namespace verbena::txn::blocks {

/// Counters of PRISM-RS.
struct RsCounter {
  /// Phases, one round trip each.
  static constexpr prism::Counter kReadPhases{0};
  static constexpr prism::Counter kWritePhases{1};
  /// Write phases of GETs.
  static constexpr prism::Counter kWriteBacks{2};
  /// Requests to replicas: READs, and chains that write.
  static constexpr prism::Counter kReads{3};
  static constexpr prism::Counter kChains{4};
  /// Chains that found the same tag or a later one.
  static constexpr prism::Counter kNotSwapped{5};
  /// Chains that found an empty free list.
  static constexpr prism::Counter kNoBuffer{6};
  /// Buffers that were returned.
  static constexpr prism::Counter kBuffersBack{7};
};

/// Fills in the names of counters, and the system's promises.
void add_rs_measures(SystemInfo& info);

}  // namespace verbena::txn::blocks
