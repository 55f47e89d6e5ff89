// Scans of ordered tables, and validation of the keys that they saw.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/node/messages.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

/// Scans at the owner, or without the network if that is this node. Belongs to the transaction's
/// fiber.
class Scans {
 public:
  explicit Scans(Attempt& attempt) : attempt_(attempt) {}

  /// Forgets the scans of the previous attempt.
  void begin() { scans_.clear(); }
  bool empty() const { return scans_.empty(); }

  /// Fills `keys` with at most `limit` keys of `range`. Throws std::logic_error for more keys than
  /// declared.
  void scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);

  /// Repeats all scans; dooms the attempt if one sees other keys, or might have seen them
  /// meanwhile.
  void validate(const PhasePlan& phase);

 private:
  struct Scan {
    ScanRequest request;
    PartitionId partition;
    std::uint64_t digest;  // of the keys that it saw
    std::uint32_t call;
  };

  void add_call(Scan& scan);

  Attempt& attempt_;
  std::vector<Scan> scans_;
};

}  // namespace verbena::txn::occ
