// Which vectors of commits a memory server has read lately, and which of them snapshots hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// A vector that a memory server has READ, with its number among these. Slots only grow, so what
/// begins to be read after somebody has heard of that number holds all that this vector holds.
struct KnownVector {
  std::uint64_t number = 0;  ///< 0: none
  std::shared_ptr<const std::vector<std::uint32_t>> counts;

  bool holds(const Stamp& stamp) const { return counts != nullptr && visible(stamp, *counts); }
};

/// The last vectors that a memory server has READ. Thread-safe.
class KnownVectors {
 public:
  /// A READ is complete.
  void add(std::span<const std::uint32_t> counts);

  KnownVector latest() const { return numbered_before(0); }

  /// One that most who ask for something have heard of by now.
  KnownVector settled() const { return numbered_before(kSettled); }

  /// The one of that number; none if it is not kept.
  KnownVector numbered(std::uint64_t number) const;

 private:
  static constexpr std::uint32_t kKept = 16;
  static constexpr std::uint32_t kSettled = 3;

  KnownVector numbered_before(std::uint64_t reads) const;

  mutable SpinLock changing_;
  std::uint64_t reads_ = 0;
  std::array<KnownVector, kKept> vectors_;  // by their numbers
};

/// Which vectors memory servers have told a worker of, and when. Belongs to its worker.
class ToldVectors {
 public:
  explicit ToldVectors(std::uint32_t nodes) : servers_(nodes) {}

  /// At `now` a reply has come that tells of the latest vector which the server had read.
  void told(NodeId server, std::uint64_t number, Nanoseconds now);

  /// The number of the latest that a snapshot is known to hold which began to be read at `began`;
  /// 0: of none this is known.
  std::uint64_t held(NodeId server, Nanoseconds began) const;

 private:
  struct Told {
    std::uint64_t number = 0;
    Nanoseconds at = 0;
  };
  static constexpr std::size_t kKept = 4;

  std::vector<std::array<Told, kKept>> servers_;  // latest first
};

}  // namespace verbena::txn::nam
