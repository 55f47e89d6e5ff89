// Layout of the vector of commits.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/types.h"
#include "txn/nam/records/fiber_numbers.h"
#include "txn/nam/records/shape.h"
#include "txn/view.h"

namespace verbena::txn::nam {

/// Places the vector of commits in regions of the oracles: 4 B for each slot; with several oracles,
/// in as many parts of whole cache lines. Slot 0 belongs to the loaded data. Immutable.
class VectorLayout {
 public:
  /// `keepers`: the memory servers. Throws ConfigurationError for more oracles than the vector has
  /// cache lines.
  VectorLayout(const View& view, const Shape& shape, const FiberNumbers& fibers,
               const std::vector<NodeId>& keepers);

  /// Slot of all commits, if there is a counter.
  static constexpr std::uint32_t kSharedSlot = 1;

  std::uint32_t slots() const { return slots_; }
  /// Slot of a fiber's commits.
  std::uint32_t slot_of(const FiberNumbers& fibers, NodeId node, WorkerId worker,
                        std::uint16_t fiber) const;
  RemoteAddress address(std::uint32_t slot) const;
  /// Bytes of the whole vector.
  std::uint64_t bytes() const { return std::uint64_t{parts()} * part_slots_ * 4; }

  /// Number of parts of the vector, each at its own oracle: consecutive slots, part_slots() each,
  /// fewer in the last.
  std::uint32_t parts() const { return (slots_ + part_slots_ - 1) / part_slots_; }
  std::uint32_t part_slots() const { return part_slots_; }

  bool is_oracle(NodeId node) const;
  /// Bytes of an oracle's region, the last region that it adds.
  std::uint64_t oracle_bytes() const;
  /// Address of the word that counts timestamps, if there is a counter.
  RemoteAddress counter() const;

 private:
  void check_oracles(std::uint32_t lines) const;

  Shape shape_;
  std::vector<NodeId> oracles_;
  std::uint32_t slots_;
  std::uint32_t part_slots_;
};

}  // namespace verbena::txn::nam
