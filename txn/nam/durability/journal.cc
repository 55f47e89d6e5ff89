// Writing entries into rings.
#include "txn/nam/durability/journal.h"

#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"

namespace verbena::txn::nam {

using rdma::Work;

namespace {

constexpr std::size_t kToldBytes = 8;  // of which READs fill four

}  // namespace

Journal::Journal(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
                 const TransactionLimits& limits, std::uint32_t slot)
    : worker_(worker),
      journals_(journals),
      slot_(slot),
      entry_(worker.allocate_scratch(JournalEntryWriter::most_bytes(layout, limits))),
      batch_(worker.connections()) {
  if (journals.checkpoints())
    told_ = worker.allocate_scratch(journals.servers().size() * kToldBytes);
}

std::size_t Journal::scratch_bytes(const Layout& layout, const TransactionLimits& limits,
                                   bool checkpoints) {
  const std::size_t told = checkpoints ? layout.view().nodes() * kToldBytes : 0;
  return (std::size_t{cache_lines(JournalEntryWriter::most_bytes(layout, limits))} +
          cache_lines(told)) *
         kCacheLineBytes;
}

// If a server never finishes a checkpoint, its users hear by patience that the ring is full.
void Journal::make_room(std::uint32_t bytes) {
  const auto overlaps = [&](const Written& one) {
    return one.begin < next_ + bytes && next_ < one.end;
  };
  std::uint32_t needed = 0;
  for (const Written& one : in_ring_) {
    if (overlaps(one)) needed = std::max(needed, one.count);
  }
  while (needed > held_) {
    worker_.core().reach("nam: journal waits for checkpoints");
    read_told();
    if (needed > held_) worker_.sleep_until(worker_.now() + 10 * kMicrosecond);
  }
  std::erase_if(in_ring_, overlaps);
}

void Journal::read_told() {
  const std::vector<NodeId>& servers = journals_.servers();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    batch_.read(journals_.told(servers[i], slot_), told_.data() + i * kToldBytes,
                sizeof(std::uint32_t));
  }
  batch_.post();
  batch_.wait();
  held_ = UINT32_MAX;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    std::uint32_t held;
    std::memcpy(&held, told_.data() + i * kToldBytes, sizeof held);
    held_ = std::min(held_, held);
  }
}

// A lap's beginning with this entry is known when the entry is whole; then its snapshot may have to
// be told from nothing after all, which makes it longer, and it begins the lap all the more.
void Journal::write(const Stamp& stamp, std::uint64_t owner,
                    std::span<const std::uint32_t> snapshot, std::span<const Change> changes) {
  const auto compose = [&](std::span<const std::uint32_t> base) {
    const JournalHeader header{.stamp = stamp, .owner = owner, .before = head_.at};
    JournalEntryWriter writer(entry_, header, snapshot, base);
    for (const Change& change : changes) writer.add(change.record, change.payload);
    return writer.finish();
  };
  const bool whole = written_ % kWholeEvery == 0;
  auto entry = compose(whole ? std::span<const std::uint32_t>() : before_);
  if (next_ + entry.size() > journals_.ring_bytes()) {
    worker_.core().reach("nam: journal goes around");
    next_ = JournalLayout::kHeadBytes;
    entry = compose({});
  }
  if (journals_.checkpoints()) make_room(static_cast<std::uint32_t>(entry.size()));
  // The checksum reads the lines once more.
  worker_.core().spend(Work::kCopyLine,
                       cache_lines(snapshot.size_bytes()) + 2 * cache_lines(entry.size()));
  head_ = {.at = next_, .bytes = static_cast<std::uint32_t>(entry.size()), .stamp = stamp};
  for (std::uint32_t copy = 0; copy < journals_.copies(); ++copy) {
    const RemoteAddress head = journals_.ring(slot_, copy);
    RemoteAddress at = head;
    at.offset += next_;
    batch_.write(at, entry.data(), static_cast<std::uint32_t>(entry.size()));
    batch_.write(head, &head_, sizeof head_);
  }
  batch_.post();
  worker_.core().reach("nam: journal is being written");
  batch_.wait();
  if (journals_.checkpoints()) {
    in_ring_.push_back({.begin = next_, .end = next_ + head_.bytes, .count = stamp.count});
  }
  next_ += head_.bytes;
  before_.assign(snapshot.begin(), snapshot.end());
  ++written_;
}

}  // namespace verbena::txn::nam
