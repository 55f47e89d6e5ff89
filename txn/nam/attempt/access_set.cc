// Memory for records of an attempt, and what is copied out of it.
#include "txn/nam/attempt/access_set.h"

#include <stdexcept>

#include "txn/index/bucket.h"

namespace verbena::txn::nam {
namespace {

// Where a record's headers are read, and behind them one that is to be written, if it is.
std::size_t header_bytes(const Layout& layout) {
  return (std::size_t{layout.headers_of_record()} + 1) * sizeof(OldHeader);
}

}  // namespace

AccessSet::AccessSet(Attempt& attempt, std::vector<Item>& items, const TransactionLimits& limits)
    : attempt_(attempt),
      layout_(attempt.layout()),
      items_(items),
      memory_(attempt.worker().allocate_scratch(scratch_bytes(attempt.layout(), limits))) {}

// Each record has an image, a payload, headers, and when it is written a second image, and perhaps
// a hint. Images have room for a bucket.
std::size_t AccessSet::scratch_bytes(const Layout& layout, const TransactionLimits& limits) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    most = std::max<std::size_t>(most, layout.table(static_cast<TableId>(t)).format.stride());
  }
  most = std::max<std::size_t>(most, Bucket::kBytes);
  const std::size_t headers = cache_lines(header_bytes(layout));
  const std::size_t hint = layout.overflows() ? kCacheLineBytes : 0;
  return limits.records * (3 * most + headers * kCacheLineBytes + hint);
}

void AccessSet::clear() {
  accesses_.clear();
  used_ = fetched_ = 0;
}

std::byte* AccessSet::allocate(std::size_t bytes) {
  const std::size_t whole = std::size_t{cache_lines(bytes)} * kCacheLineBytes;
  if (used_ + whole > memory_.size()) {
    throw std::logic_error("a transaction touches more records than was declared");
  }
  used_ += whole;
  return memory_.data() + used_ - whole;
}

txn::Transaction::Handle AccessSet::find_or_add(const RecordName& name, Intent intent) {
  const auto known = std::ranges::find(accesses_, name, &Access::name);
  if (known != accesses_.end()) return static_cast<std::uint32_t>(known - accesses_.begin());
  const TableDefinition& definition = layout_.schema()[name.table];
  const Layout::Table& table = layout_.table(name.table);
  const RecordImage image(allocate(std::max<std::size_t>(table.format.bytes(), Bucket::kBytes)));
  auto* headers = reinterpret_cast<OldHeader*>(allocate(header_bytes(layout_)));
  accesses_.emplace_back(name, definition.initial_index(name.key), table.inserts(), image, headers);
  items_.push_back({.payload = allocate(definition.payload_bytes),
                    .bytes = definition.payload_bytes,
                    .intent = intent,
                    .drawn = definition.drawn()});
  return static_cast<std::uint32_t>(accesses_.size() - 1);
}

void AccessSet::settle(Access& access, bool found) {
  access.settle();
  Item& item = this->item(access);
  item.fetched = true;
  item.found = found;
  if (!found) return;
  const ImageFormat& format = table(access).format;
  attempt_.spend(rdma::Work::kCopyLine, format.lines());
  format.extract(access.image(), item.payload);
}

}  // namespace verbena::txn::nam
