// Timestamps, which order transactions.
#pragma once

#include <cstdint>

#include "rdma/base/time.h"
#include "txn/prism/clients.h"
#include "txn/prism/object.h"

namespace verbena::txn::prism_tx {

/// A time in units of kTimeUnit, followed in the low prism::kClientBits by the number of the client
/// that took it, so that no two attempts have the same (PRISM paper, section 8.2). Greater ones are
/// later. 0: none.
using Timestamp = std::uint64_t;

inline constexpr Nanoseconds kTimeUnit = 16_ns;

/// Timestamp of all records that a run begins with.
inline constexpr Timestamp kLoadedAt = prism::kLoadedVersion;

constexpr Timestamp timestamp_of(std::uint64_t time, std::uint64_t client) {
  return time << prism::kClientBits | client;
}

/// The timestamps of one client. Clocks need not agree: a client whose clock is behind takes later
/// timestamps than those it has seen. Not thread-safe.
class Timestamps {
 public:
  /// `client` is a number from 1 that no other client has; its clock is `ahead` of its node's.
  Timestamps(std::uint64_t client, Nanoseconds ahead) : client_(client), ahead_(ahead) {}

  /// Takes a timestamp greater than `known`, and than all taken or noted before: by the clock if
  /// that is enough, else the least such. The node's clock says `now`.
  Timestamp take(Nanoseconds now, Timestamp known);

  /// Makes later timestamps greater than `seen`.
  void note(Timestamp seen);

 private:
  std::uint64_t client_;
  Nanoseconds ahead_;
  Timestamp latest_ = 0;
};

}  // namespace verbena::txn::prism_tx
