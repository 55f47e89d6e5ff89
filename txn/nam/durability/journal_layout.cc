// Rings, one after the other.
#include "txn/nam/durability/journal_layout.h"

#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "txn/nam/durability/journal_entry.h"

namespace verbena::txn::nam {

JournalLayout::JournalLayout(const Layout& layout, std::uint32_t copies, std::uint32_t ring_bytes,
                             bool checkpoints)
    : layout_(layout), copies_(copies), ring_bytes_(ring_bytes), checkpoints_(checkpoints) {
  for (std::uint32_t n = 0; n < layout.view().nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (layout.keeps(node)) servers_.push_back(node);
  }
}

RemoteAddress JournalLayout::ring(std::uint32_t slot, std::uint32_t copy) const {
  const NodeId server = servers_[(slot + copy) % servers_.size()];
  const std::uint64_t place = slot / servers_.size() * copies_ + copy;
  return at(server, place * ring_bytes_);
}

RemoteAddress JournalLayout::told(NodeId server, std::uint32_t slot) const {
  return at(server, rings_bytes() + slot * sizeof(std::uint32_t));
}

RemoteAddress JournalLayout::at(NodeId server, std::uint64_t offset) const {
  const bool counts = layout_.vector().is_oracle(server);
  return {.node = server, .region = static_cast<RegionId>(counts ? 2 : 1), .offset = offset};
}

std::uint64_t JournalLayout::rings_bytes() const {
  return ((layout_.vector().slots() - 1) / servers_.size() + 1) * copies_ * ring_bytes_;
}

std::uint64_t JournalLayout::region_bytes() const {
  return rings_bytes() + (checkpoints_ ? layout_.vector().slots() * sizeof(std::uint32_t) : 0);
}

std::uint32_t journal_ring_bytes(const Layout& layout, const TransactionLimits& limits,
                                 const NodeOptions& options) {
  // Where checkpoints make room, now and then, for more.
  const std::size_t entries = options.checkpoints.empty() && options.restore.empty() ? 4 : 64;
  const std::size_t entry = JournalEntryWriter::most_bytes(layout, limits);
  const std::size_t least = JournalLayout::kHeadBytes + entry;
  std::size_t bytes = options.journal_bytes;
  if (bytes == 0) bytes = JournalLayout::kHeadBytes + entries * entry;
  if (bytes < least) {
    throw ConfigurationError("nam.journal_bytes " + std::to_string(bytes) +
                             "; allowed are at least " + std::to_string(least) +
                             ", what a transaction writes at most");
  }
  return static_cast<std::uint32_t>(cache_lines(bytes) * kCacheLineBytes);
}

}  // namespace verbena::txn::nam
