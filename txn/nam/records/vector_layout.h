// Places of the vector of commits.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "txn/nam/records/fiber_numbers.h"
#include "txn/nam/records/shape.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// The vector of commits is a region of the oracle's: 4 B for each slot; or in parts of whole cache
/// lines, as many as there are oracles. Slot 0 is of what was loaded. Immutable.
class VectorLayout {
 public:
  /// `keepers` are the memory servers. Throws ConfigurationError for more oracles than the vector
  /// has cache lines.
  VectorLayout(const View& view, const Shape& shape, const FiberNumbers& fibers,
               const std::vector<NodeId>& keepers);

  /// The slot of all commits, where there is a counter.
  static constexpr std::uint32_t kSharedSlot = 1;

  std::uint32_t slots() const { return slots_; }
  /// The slot of a fiber's commits.
  std::uint32_t slot_of(const FiberNumbers& fibers, NodeId node, WorkerId worker,
                        std::uint16_t fiber) const;
  RemoteAddress address(std::uint32_t slot) const;
  /// Bytes of the whole vector.
  std::uint64_t bytes() const { return std::uint64_t{parts()} * part_slots_ * 4; }

  /// Parts of the vector, each at an oracle of its own, that hold some slots: one after the other,
  /// part_slots() each or what is left.
  std::uint32_t parts() const { return (slots_ + part_slots_ - 1) / part_slots_; }
  std::uint32_t part_slots() const { return part_slots_; }

  bool is_oracle(NodeId node) const;
  /// Bytes of an oracle's region, the last that it adds.
  std::uint64_t oracle_bytes() const;
  /// The word that counts timestamps, where there is a counter.
  RemoteAddress counter() const;

 private:
  void check_oracles(std::uint32_t lines) const;

  Shape shape_;
  std::vector<NodeId> oracles_;
  std::uint32_t slots_;
  std::uint32_t part_slots_;
};

}  // namespace verbena::txn::nam
