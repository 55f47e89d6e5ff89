// Rings, one after the other.
#include "txn/nam/journal_layout.h"

#include <string>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "txn/nam/journal_entry.h"

namespace verbena::txn::nam {

JournalLayout::JournalLayout(const Layout& layout, std::uint32_t copies, std::uint32_t ring_bytes)
    : layout_(layout), copies_(copies), ring_bytes_(ring_bytes) {
  for (std::uint32_t n = 0; n < layout.view().nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (layout.keeps(node)) servers_.push_back(node);
  }
}

RemoteAddress JournalLayout::ring(std::uint32_t slot, std::uint32_t copy) const {
  const NodeId server = servers_[(slot + copy) % servers_.size()];
  const std::uint64_t place = slot / servers_.size() * copies_ + copy;
  const bool counts = layout_.is_oracle(server);
  return {.node = server,
          .region = static_cast<RegionId>(counts ? 2 : 1),
          .offset = place * ring_bytes_};
}

std::uint64_t JournalLayout::region_bytes() const {
  return ((layout_.slots() - 1) / servers_.size() + 1) * copies_ * ring_bytes_;
}

std::uint32_t journal_ring_bytes(const Layout& layout, const TransactionLimits& limits,
                                 const NodeOptions& options) {
  constexpr std::size_t kEntries = 4;
  const std::size_t entry = JournalEntryWriter::most_bytes(layout, limits);
  const std::size_t least = JournalLayout::kHeadBytes + entry;
  std::size_t bytes = options.journal_bytes;
  if (bytes == 0) bytes = JournalLayout::kHeadBytes + kEntries * entry;
  if (bytes < least) {
    throw ConfigurationError("nam.journal_bytes " + std::to_string(bytes) +
                             "; allowed are at least " + std::to_string(least) +
                             ", what a transaction writes at most");
  }
  return static_cast<std::uint32_t>(cache_lines(bytes) * kCacheLineBytes);
}

}  // namespace verbena::txn::nam
