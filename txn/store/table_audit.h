// Check of one table of one partition copy after a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "txn/schema/table.h"
#include "txn/state_at_rest.h"
#include "txn/store/store.h"

namespace verbena::txn {

/// Checks the touched records and buckets of a table of one copy, and adds to a node's self-check:
///
/// - the digest of the copy, over the entries that committed transactions have changed: entry and
///   version, of present records key and payload too. It is an order-independent sum, so a copy
///   whose untouched pages were never filled has the same digest as one that was filled completely.
///   A placeholder that was never committed is not in the logs, so it counts with the version that
///   its entry had before;
/// - errors: locked or torn records, initial records that changed without a new version, present
///   records that their key does not lead to, keys in the hash index or the ordered index that lead
///   to no such record.
class TableAudit {
 public:
  TableAudit(Store& store, const TableDefinition& definition, CopyId copy, TableId table,
             SelfCheck& check);

  /// Adds to the last copy of the self-check.
  void run();

 private:
  bool primary() const { return copy_ == 0; }
  bool initial(std::uint64_t entry) const { return entry < layout_.initial_records; }
  void check_record(std::uint32_t entry);
  void digest(std::uint32_t entry, std::uint64_t version, Key key);
  void check_findable(std::uint32_t entry, std::uint64_t version, Key key);
  void check_buckets();
  void check_index_item(const OrderedIndex::Item& item, std::uint64_t bucket);
  void check_inserted_keys();
  bool in_order(Key key);
  void load_initial(std::uint32_t entry);
  void report(std::uint64_t entry, const std::string& what);
  void report(const std::string& what);

  Store& store_;
  CopyId copy_;
  TableId table_;
  SelfCheck& check_;
  const TableDefinition& definition_;
  const TableLayout& layout_;
  PartitionId partition_;
  std::vector<std::byte> payload_;
  std::vector<std::byte> initial_;
};

}  // namespace verbena::txn
