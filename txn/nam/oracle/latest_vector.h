// Latest vector of commits that a compute server has READ, shared by its transactions.
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

/// Shares the latest vector: one fiber of a compute server READs it again and again, and
/// transactions copy the latest one (NAM-DB paper, section 4.2: dedicated fetch thread). Readers
/// take no lock and wait for nobody: vectors go into several places in turn, and a reader whose
/// place was reused meanwhile copies again, from the latest. Thread-safe, with one writer. `core`,
/// here and below: the caller's.
class LatestVector {
 public:
  explicit LatestVector(std::uint32_t slots);

  /// Stores `counts`, from a READ that began at `began_at`.
  void set(Nanoseconds began_at, std::span<const std::uint32_t> counts, rdma::Core& core);

  /// True if there is a vector that holds the commit; later ones hold it, too.
  bool holds(const Stamp& stamp) const;

  /// Copies the vector, which must exist; returns when its READ began. `known`: the number of the
  /// vector that the caller copied before, or 0; set to the number of the new one.
  Nanoseconds copy(std::span<std::uint32_t> counts, std::uint32_t& known, rdma::Core& core) const;

 private:
  struct Place {
    std::atomic<std::uint32_t> number = 0;  // of its vector; 0: none, or being written
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
