// Writing entries into rings.
#include "txn/nam/journal.h"

#include "rdma/base/cache_line.h"

namespace verbena::txn::nam {

using rdma::Work;

Journal::Journal(rdma::Worker& worker, const Layout& layout, const JournalLayout& journals,
                 const TransactionLimits& limits, std::uint32_t slot)
    : worker_(worker),
      journals_(journals),
      slot_(slot),
      entry_(worker.allocate_scratch(JournalEntryWriter::most_bytes(layout, limits))),
      batch_(worker.connections()) {}

std::size_t Journal::scratch_bytes(const Layout& layout, const TransactionLimits& limits) {
  return std::size_t{cache_lines(JournalEntryWriter::most_bytes(layout, limits))} * kCacheLineBytes;
}

// Whether the entry begins a lap is known when it is whole; then its snapshot may have to be told
// from nothing after all, which makes it longer, and it begins the lap all the more.
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
  batch_.wait();
  next_ += head_.bytes;
  before_.assign(snapshot.begin(), snapshot.end());
  ++written_;
}

}  // namespace verbena::txn::nam
