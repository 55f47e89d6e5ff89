// Journal entry of an attempt, which holds what it will install.
#pragma once

#include <optional>
#include <vector>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/durability/journal.h"
#include "txn/nam/durability/journal_layout.h"
#include "txn/schema/table.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// Writes an attempt into the fiber's Journal, if journals are kept. Belongs to the transaction's
/// fiber.
class CommitJournal {
 public:
  /// Takes memory from the worker's scratch memory. `journals`: null if none are kept.
  CommitJournal(Attempt& attempt, AccessSet& accesses, const JournalLayout* journals,
                const TransactionLimits& limits);

  bool kept() const { return journal_.has_value(); }
  /// Writes down what the attempt will install as commit `stamp`, and waits until all copies are
  /// there. To be called only if journals are kept.
  void write(const Stamp& stamp);

 private:
  Journal::Change change_of(const Access& access) const;

  Attempt& attempt_;
  AccessSet& accesses_;
  std::optional<Journal> journal_;
  std::vector<Journal::Change> changes_;  // of the entry being written
};

}  // namespace verbena::txn::nam
