// Values of the tables before the first transaction.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "txn/schema/table.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn {

/// Loaded records, with the digests of their values. Not thread-safe.
class InitialValues {
 public:
  explicit InitialValues(Schema schema);

  /// Returns the digest of a record's value; kAbsentValue when it is not loaded.
  ValueDigest of(const RecordName& name) const;

  /// True if the table can be scanned.
  bool ordered(TableId table) const { return schema_[table].ordered; }

  /// Visits the keys of a partition's loaded records from `first` to `last`, ascending.
  void visit(TableId table, Key first, Key last, const std::function<void(Key key)>& visitor) const;

 private:
  Schema schema_;
  mutable std::vector<std::byte> payload_;
};

}  // namespace verbena::txn
