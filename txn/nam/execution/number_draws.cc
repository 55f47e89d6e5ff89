// Drawing numbers by FETCH_AND_ADD.
#include "txn/nam/execution/number_draws.h"

#include <stdexcept>

#include "rdma/base/cache_line.h"
#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

// The number lies behind the header, in the first cache line, whose version is always the one that
// was loaded: nobody locks or installs such a record. Of one that transactions write, a
// FETCH_AND_ADD would be lost whose number came between an attempt's READ of the payload and its
// WRITE of the next.
static_assert(kPayloadOffset % sizeof(std::uint64_t) == 0 &&
              kPayloadOffset + sizeof(std::uint64_t) <= kCacheLineBytes);

std::uint64_t NumberDraws::draw(const RecordName& name) {
  const TableDefinition& definition = attempt_.layout().schema()[name.table];
  const auto entry = definition.initial_index(name.key);
  std::uint64_t number = 0;
  if (!definition.drawn() || definition.payload_bytes < sizeof number || !entry) {
    throw std::logic_error("a number was to be drawn from table '" + definition.name +
                           "', of which none are, or from a record that is not there");
  }
  RemoteAddress at = attempt_.layout().current(name, *entry);
  at.offset += kPayloadOffset;
  rdma::RequestBatch& batch = attempt_.batch();
  batch.fetch_and_add(at, 1, &number);
  batch.post();
  batch.wait();
  attempt_.reach("nam: number drawn");
  return number;
}

void NumberDraws::check_written() const {
  const bool drawn = accesses_.any_drawn_written();
  if (drawn) throw std::logic_error("a record that numbers are drawn from was to be written");
}

}  // namespace verbena::txn::nam
