// Timestamps, which order transactions.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"
#include "txn/prism/clients.h"
#include "txn/prism/object.h"

namespace verbena::txn::prism_tx {

/// A time in units of kTimeUnit, and behind it, in prism::kClientBits, the number of the client
/// that took it, so that no two attempts have the same (PRISM paper, section 8.2). Greater ones are
/// later. 0: none.
using Timestamp = std::uint64_t;

inline constexpr Nanoseconds kTimeUnit = 16_ns;

/// The timestamp of all that a run begins with.
inline constexpr Timestamp kLoadedAt = prism::kLoadedVersion;

constexpr Timestamp timestamp_of(std::uint64_t time, std::uint64_t client) {
  return time << prism::kClientBits | client;
}

/// The timestamps of one client. Clocks need not agree: who is behind takes later ones than he has
/// seen. Not thread-safe.
class Timestamps {
 public:
  /// `client` counts from 1 and is nobody else's; its clock is `ahead` of its node's.
  Timestamps(std::uint64_t client, Nanoseconds ahead) : client_(client), ahead_(ahead) {}

  /// A timestamp by the clock, if that is greater than `known`, than all that were taken before and
  /// than all that were noted; else the least that is. The node's clock says `now`.
  Timestamp take(Nanoseconds now, Timestamp known);

  /// Later ones will be greater than this.
  void note(Timestamp seen);

 private:
  std::uint64_t client_;
  Nanoseconds ahead_;
  Timestamp latest_ = 0;
};

}  // namespace verbena::txn::prism_tx
