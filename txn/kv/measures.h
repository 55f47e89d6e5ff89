// Counters of operations on key-value stores.
#pragma once

#include "txn/prism/measures.h"
#include "txn/system_info.h"

namespace verbena::txn::kv {

using prism::Phase;
using prism::WorkerMetrics;

/// Causes for which an attempt did not commit.
struct Abort : prism::Abort {
  /// Another client has replaced what it had read, or taken its slot.
  static constexpr AbortCause kConflict{1};
  /// The server's free list was empty.
  static constexpr AbortCause kNoBuffer{2};
};

/// Counters of both stores.
struct Counter {
  /// READs of slots, or of entries.
  static constexpr prism::Counter kSlotReads{0};
  /// READs that were repeated, since the data was torn, or of an object that is gone.
  static constexpr prism::Counter kRereads{1};
  /// Blind PUTs that others had overtaken; they count as overwritten at once.
  static constexpr prism::Counter kOverwritten{2};
  /// Buffers that were given back.
  static constexpr prism::Counter kBuffersBack{3};
};

/// Fills in the names of these, and all else in which both stores are alike.
void add_measures(SystemInfo& info);

}  // namespace verbena::txn::kv
