// Scans of ordered tables, and validation that their ranges hold no other keys than were seen.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/node/messages.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

/// The scans of an attempt. The owner scans, this node itself without network. Belongs to the
/// transaction's fiber.
class Scans {
 public:
  explicit Scans(Attempt& attempt) : attempt_(attempt) {}

  /// Forgets those of the attempt before.
  void begin() { scans_.clear(); }
  bool empty() const { return scans_.empty(); }

  /// Fills `keys` with at most `limit` keys of `range`. Throws std::logic_error for more than were
  /// declared.
  void scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);

  /// Repeats all scans; dooms the attempt if one would see other keys, or might have meanwhile.
  void validate(const PhasePlan& phase);

 private:
  struct Scan {
    ScanRequest request;
    PartitionId partition;
    std::uint64_t digest;  // over what it saw
    std::uint32_t call;
  };

  void add_call(Scan& scan);

  Attempt& attempt_;
  std::vector<Scan> scans_;
};

}  // namespace verbena::txn::occ
