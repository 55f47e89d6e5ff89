// Times and counters of operations on servers that carry out chains.
#pragma once

#include <cstdint>

#include "txn/metrics.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::prism {

/// The steps of an attempt, in their order.
enum class Phase : std::uint8_t {
  kLookUp,   ///< reading the object, or the part that replacing it takes
  kInstall,  ///< replacing it
};

/// Counter of a system: an index into its SystemInfo::counters.
enum class Counter : std::uint8_t {};

/// Causes of aborts in all such systems; their own follow.
struct Abort {
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{0};
};

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter>;

}  // namespace verbena::txn::prism
