// Looking at all copies of each record.
#include "workloads/run/history/newest_at_rest.h"

namespace verbena::workloads {

txn::StateAtRest& NewestAtRest::newest(const txn::RecordName& name) {
  txn::StateAtRest* found = copies_.front();
  std::uint64_t version = found->version(name);
  for (txn::StateAtRest* const copy : std::span(copies_).subspan(1)) {
    const std::uint64_t other = copy->version(name);
    if (other <= version) continue;
    found = copy;
    version = other;
  }
  return *found;
}

// A record that has changed in any copy has in the newest one.
void NewestAtRest::visit_changed(txn::TableId table, txn::PartitionId partition,
                                 const ChangedRecord& visitor) {
  for (txn::StateAtRest* const copy : copies_) {
    copy->visit_changed(
        table, partition, [&](txn::Key key, bool present, std::span<const std::byte> payload) {
          const txn::RecordName name{.table = table, .partition = partition, .key = key};
          if (&newest(name) == copy) visitor(key, present, payload);
        });
  }
}

}  // namespace verbena::workloads
