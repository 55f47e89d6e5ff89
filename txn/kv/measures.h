// Counters and times of operations on key-value stores.
#pragma once

#include <cstdint>

#include "txn/metrics.h"
#include "txn/system_info.h"
#include "txn/worker_metrics.h"

namespace verbena::txn::kv {

/// The steps of an attempt, in their order.
enum class Phase : std::uint8_t {
  kLookUp,   ///< reading the object, or only whose it is
  kInstall,  ///< replacing it
};

/// Why an attempt did not commit.
struct Abort {
  /// Somebody else has replaced what it had read, or taken its slot.
  static constexpr AbortCause kConflict{0};
  /// The server's free list was empty.
  static constexpr AbortCause kNoBuffer{1};
  /// The application asked for it; not retried.
  static constexpr AbortCause kRolledBack{2};
};

enum class Counter : std::uint8_t {
  kSlotReads,  ///< READs of slots, or of entries
  kRereads,    ///< READs that were repeated, since what came was torn, or of an object that is gone
  kOverwritten,  ///< blind PUTs that others had overtaken, so that they count as overwritten at
                 ///< once
  kBuffersBack,  ///< buffers that were given back
};

using WorkerMetrics = txn::WorkerMetrics<Phase, Counter>;

/// Fills in the names of the enumerators above, and what both stores are alike in.
void add_measures(SystemInfo& info);

}  // namespace verbena::txn::kv
