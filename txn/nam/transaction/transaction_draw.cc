// Numbers that are drawn from records, outside of snapshots.
#include <algorithm>
#include <stdexcept>

#include "txn/nam/transaction/transaction.h"

namespace verbena::txn::nam {

// The number lies behind the header, in the first cache line, whose version is always the one that
// was loaded: nobody locks or installs such a record. Of one that transactions write, a
// FETCH_AND_ADD would be lost whose number came between an attempt's READ of the payload and its
// WRITE of the next.
static_assert(kPayloadOffset % sizeof(std::uint64_t) == 0 &&
              kPayloadOffset + sizeof(std::uint64_t) <= kCacheLineBytes);

std::uint64_t NamTransaction::draw_number(const RecordName& name) {
  const TableDefinition& definition = layout_.schema()[name.table];
  const auto entry = definition.initial_index(name.key);
  std::uint64_t number = 0;
  if (!definition.drawn() || definition.payload_bytes < sizeof number || !entry) {
    throw std::logic_error("a number was to be drawn from table '" + definition.name +
                           "', of which none are, or from a record that is not there");
  }
  RemoteAddress at = layout_.current(name, *entry);
  at.offset += kPayloadOffset;
  batch_.fetch_and_add(at, 1, &number);
  batch_.post();
  batch_.wait();
  worker_.core().reach("nam: number drawn");
  return number;
}

void NamTransaction::check_written() const {
  const bool drawn =
      std::ranges::any_of(items_, [](const Item& item) { return item.written && item.drawn; });
  if (drawn) throw std::logic_error("a record that numbers are drawn from was to be written");
}

}  // namespace verbena::txn::nam
