// Slots, and the servers that keep them.
#include "txn/nam/records/vector_layout.h"

#include <algorithm>
#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"

namespace verbena::txn::nam {

VectorLayout::VectorLayout(const View& view, const Shape& shape, const FiberNumbers& fibers,
                           const std::vector<NodeId>& keepers)
    : shape_(shape),
      slots_(1 + (shape.oracle == Oracle::kVector       ? fibers.end() - 1
                  : shape.oracle == Oracle::kCompressed ? fibers.servers()
                                                        : kSharedSlot)) {
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const bool keeps = std::ranges::count(keepers, node) > 0;
    if (view.role(node) == Role::kOracle) oracles_.push_back(node);
    if (shape.oracle_on_memory && keeps && oracles_.size() < shape.oracles) {
      oracles_.push_back(node);
    }
  }
  constexpr std::uint32_t kLineSlots = kCacheLineBytes / sizeof(std::uint32_t);
  const std::uint32_t lines = (slots_ + kLineSlots - 1) / kLineSlots;
  part_slots_ = (lines + shape.oracles - 1) / shape.oracles * kLineSlots;
  check_oracles(lines);
}

// Parts are equal, but for the last.
void VectorLayout::check_oracles(std::uint32_t lines) const {
  if (parts() == shape_.oracles) return;
  throw ConfigurationError("nam.oracles " + std::to_string(shape_.oracles) +
                           (shape_.oracles > lines ? "; allowed are at most " : "; allowed is ") +
                           std::to_string(parts()) + ": the vector of commits has " +
                           std::to_string(lines) +
                           " cache lines, and an oracle a part of whole ones");
}

std::uint32_t VectorLayout::slot_of(const FiberNumbers& fibers, NodeId node, WorkerId worker,
                                    std::uint16_t fiber) const {
  if (shape_.oracle == Oracle::kVector) return fibers.of(node, worker, fiber);
  return shape_.oracle == Oracle::kCompressed ? 1 + fibers.servers_before(node) : kSharedSlot;
}

RemoteAddress VectorLayout::address(std::uint32_t slot) const {
  return {.node = oracles_[slot / part_slots_],
          .region = static_cast<RegionId>(shape_.oracle_on_memory ? 1 : 0),
          .offset = std::uint64_t{slot % part_slots_} * 4};
}

bool VectorLayout::is_oracle(NodeId node) const { return std::ranges::count(oracles_, node) > 0; }

// The counter has a cache line of its own.
std::uint64_t VectorLayout::oracle_bytes() const {
  return std::uint64_t{part_slots_} * 4 + (shape_.oracle == Oracle::kCounter ? kCacheLineBytes : 0);
}

RemoteAddress VectorLayout::counter() const {
  RemoteAddress at = address(0);
  at.offset += std::uint64_t{part_slots_} * 4;
  return at;
}

}  // namespace verbena::txn::nam
