// The check of one table of one partition copy after a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "txn/store/store.h"
#include "workloads/run/audit.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Looks at the touched records and buckets of a table and adds to a node's audit:
///
/// - the digest of the copy, over the entries that committed transactions have changed: entry and
///   version, of present records key and payload too. A placeholder that was never committed is not
///   in the logs, so what counts is the version its entry had before;
/// - the totals of Workload::amount, over present records of the primary copy;
/// - errors: locked or torn records, initial records that changed without a new version, present
///   records that their key does not lead to, keys in the hash index or the ordered index that lead
///   to no such record.
class TableAudit {
 public:
  TableAudit(txn::Store& store, const Workload& workload, txn::CopyId copy, txn::TableId table,
             NodeAudit& audit);

  void run();

 private:
  bool primary() const { return copy_ == 0; }
  bool initial(std::uint64_t entry) const { return entry < layout_.initial_records; }
  void check_record(std::uint32_t entry);
  void digest(std::uint32_t entry, std::uint64_t version, txn::Key key);
  void add_amounts(std::uint32_t entry, bool present);
  void check_findable(std::uint32_t entry, std::uint64_t version, txn::Key key);
  void check_buckets();
  void check_index_item(const txn::OrderedIndex::Item& item, std::uint64_t bucket);
  void check_inserted_keys();
  bool in_order(txn::Key key);
  void load_initial(std::uint32_t entry);
  void report(std::uint64_t entry, const std::string& what);
  void report(const std::string& what);

  txn::Store& store_;
  const Workload& workload_;
  txn::CopyId copy_;
  txn::TableId table_;
  NodeAudit& audit_;
  const txn::TableDefinition& definition_;
  const txn::TableLayout& layout_;
  NodeId partition_;
  std::vector<std::byte> payload_;
  std::vector<std::byte> initial_;
};

}  // namespace verbena::workloads
