// The vector of commits as a compute server has read it last, for all its transactions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/seam/core.h"
#include "rdma/seam/shared_line.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// One fiber of a compute server READs the vector again and again, transactions copy what it has
/// read last (NAM-DB paper, section 4.2: dedicated fetch thread). Readers take no lock, and none
/// waits for another: what is fetched goes into some places in turn, and whoever finds that his
/// has been used again meanwhile copies the latest. Thread-safe, with one writer. `core`, here and
/// below: the one that this runs on.
class LatestVector {
 public:
  explicit LatestVector(std::uint32_t slots);

  /// A READ of the vector that began at that time gave `counts`.
  void set(Nanoseconds began_at, std::span<const std::uint32_t> counts, rdma::Core& core);

  /// True if there is a vector and it holds that commit; later ones do, too.
  bool holds(const Stamp& stamp) const;

  /// Copies the vector, of which there is one; returns when its READ began. `known` is the number
  /// of the one that the caller copied before, or 0, and becomes that of this one.
  Nanoseconds copy(std::span<std::uint32_t> counts, std::uint32_t& known, rdma::Core& core) const;

 private:
  struct Place {
    std::atomic<std::uint32_t> number = 0;  // of the vector in it; 0: none, or it is being written
    std::atomic<Nanoseconds> began_at = Nanoseconds(0);
    std::vector<std::atomic<std::uint32_t>> counts;
  };
  static constexpr std::uint32_t kPlaces = 2;

  const Place& place_of(std::uint32_t number) const { return places_[number % kPlaces]; }

  std::array<Place, kPlaces> places_;
  std::atomic<std::uint32_t> latest_ = 0;  // its number; 0: there is none yet
  rdma::SharedLine line_;
};

}  // namespace verbena::txn::nam
