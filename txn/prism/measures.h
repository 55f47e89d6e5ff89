// Times and counters of operations on servers that carry out chains.
#pragma once

#include <cstdint>

#include "txn/metrics.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::prism {

/// The steps of an attempt, in their order.
enum class Phase : std::uint8_t {
  kLookUp,   ///< reading the object, or only what replacing it takes
  kInstall,  ///< replacing it
};

/// Something that a system counts: an index into its SystemInfo::counters.
enum class Counter : std::uint8_t {};

/// Causes that all such systems have; their own follow.
struct Abort {
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{0};
};

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter>;

}  // namespace verbena::txn::prism
