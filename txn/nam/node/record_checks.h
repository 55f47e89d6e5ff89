// Checks of a memory server's records at rest.
#pragma once

#include <cstdint>

#include "rdma/base/types.h"
#include "rdma/endpoint.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/nam/node/records_at_rest.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/versions/overflow.h"
#include "txn/schema/table.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::nam {

/// Checks a memory server's locks, indexes, old versions, overflow and journals, when nothing runs
/// any more. Not thread-safe.
class RecordChecks {
 public:
  /// All arguments must outlive it. `overflow`: null if there is none. `journals` and `rings`, the
  /// server's region of them: both null if none are kept.
  RecordChecks(const Layout& layout, NodeId node, rdma::Region& records, RecordsAtRest& at_rest,
               Overflow* overflow, const JournalLayout* journals, rdma::Region* rings)
      : layout_(layout),
        node_(node),
        records_(records),
        at_rest_(at_rest),
        overflow_(overflow),
        journals_(journals),
        rings_(rings) {}

  /// Runs the checks, see StateAtRest.
  SelfCheck run();

 private:
  template <typename Visit>
  void for_each_touched(PartitionId partition, Visit&& visit);
  void tell_commits(SelfCheck& check);
  void tell_journals(std::uint32_t slot, SelfCheck& check);
  void check_record(const RecordName& name, std::uint64_t entry, SelfCheck& check);
  void check_old_versions(const RecordName& name, std::uint64_t entry, SelfCheck& check);

  const Layout& layout_;
  const NodeId node_;
  rdma::Region& records_;
  RecordsAtRest& at_rest_;
  Overflow* const overflow_;
  const JournalLayout* const journals_;
  rdma::Region* const rings_;
};

}  // namespace verbena::txn::nam
