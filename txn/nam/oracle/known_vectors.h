// Vectors of commits that a memory server has READ lately, and those that snapshots hold.
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

/// Vector that a memory server has READ, with its sequence number. Slots only grow, so a vector
/// whose READ begins after the reader heard of `number` holds all commits of this one.
struct KnownVector {
  std::uint64_t number = 0;  ///< 0: none
  std::shared_ptr<const std::vector<std::uint32_t>> counts;

  bool holds(const Stamp& stamp) const { return counts != nullptr && visible(stamp, *counts); }
};

/// Keeps the last vectors that a memory server has READ. Thread-safe.
class KnownVectors {
 public:
  /// Adds the vector of a completed READ.
  void add(std::span<const std::uint32_t> counts);

  KnownVector latest() const { return numbered_before(0); }

  /// Vector of some READs ago, of which most clients have heard by now.
  KnownVector settled() const { return numbered_before(kSettled); }

  /// Returns the vector of that number; none if it is no longer kept.
  KnownVector numbered(std::uint64_t number) const;

 private:
  static constexpr std::uint32_t kKept = 16;
  static constexpr std::uint32_t kSettled = 3;

  KnownVector numbered_before(std::uint64_t reads) const;

  mutable SpinLock changing_;
  std::uint64_t reads_ = 0;
  std::array<KnownVector, kKept> vectors_;  // by their numbers
};

/// Tracks when memory servers told a worker of which vectors. Belongs to its worker.
class ToldVectors {
 public:
  explicit ToldVectors(std::uint32_t nodes) : servers_(nodes) {}

  /// Notes a reply at `now`, which tells the number of the server's latest vector.
  void told(NodeId server, std::uint64_t number, Nanoseconds now);

  /// Number of the server's latest vector that a snapshot surely holds, if its READ began at
  /// `began`; 0: none is known.
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
