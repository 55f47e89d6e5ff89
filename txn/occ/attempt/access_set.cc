// Finding and adding the records of an attempt.
#include "txn/occ/attempt/access_set.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

namespace verbena::txn::occ {
namespace {

/// Accesses that are worth fetching before it is known whether there are so many.
constexpr std::size_t kExpected = 4;

/// Up to so many records, looking at all is faster than an index.
constexpr std::uint32_t kFew = 16;

}  // namespace

using Handle = txn::Transaction::Handle;

AccessSet::AccessSet(std::vector<Access::Item>& items, std::uint32_t most,
                     const StoreLayout& layout, Arena& arena)
    : items_(items), most_(most), layout_(layout), arena_(arena), names_(most > kFew ? most : 1) {
  // Accesses point to their items, which so must stay where they are.
  items_.reserve(most);
  accesses_.reserve(most);
}

void AccessSet::clear() {
  assert(items_.empty());
  accesses_.clear();
  names_.clear();
}

std::span<const std::byte> AccessSet::expected_memory() const {
  return {reinterpret_cast<const std::byte*>(accesses_.data()),
          std::min(accesses_.capacity(), kExpected) * sizeof(Access)};
}

Handle AccessSet::find_or_add(const RecordName& name, Access::Intent intent) {
  const auto next = static_cast<Handle>(accesses_.size());
  if (most_ > kFew) {
    const Handle known = names_.find_or_add(name, next);
    return known == next ? add(name, intent) : known;
  }
  for (Handle i = 0; i < next; ++i) {
    if (accesses_[i].name() == name) return i;
  }
  return add(name, intent);
}

Handle AccessSet::add(const RecordName& name, Access::Intent intent) {
  if (accesses_.size() == most_) {
    throw std::logic_error("a transaction touches more than " + std::to_string(most_) +
                           " records, as was declared");
  }
  assert(accesses_.size() == items_.size());
  const TableLayout& table = layout_.table(name.table);
  const RecordFormat& format = table.format;
  std::byte* image = arena_.allocate(format.bytes(), kLineBytes);
  Access::Item& item = items_.emplace_back();
  item.payload =
      format.lines() == 1 ? image + kRecordHeaderBytes : arena_.allocate(format.payload_bytes());
  item.bytes = format.payload_bytes();
  item.intent = intent;
  accesses_.emplace_back(name, item, table, image, arena_.allocate(kLockAndVersionBytes));
  return static_cast<Handle>(accesses_.size() - 1);
}

}  // namespace verbena::txn::occ
