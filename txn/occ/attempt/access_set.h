// Records of an attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "txn/occ/attempt/access.h"
#include "txn/occ/attempt/arena.h"
#include "txn/occ/attempt/name_index.h"
#include "txn/schema/table.h"
#include "txn/store/store_layout.h"
#include "txn/transaction.h"

namespace verbena::txn::occ {

/// Holds one Access for each name, by the handles of txn::Transaction. Belongs to the transaction's
/// fiber.
class AccessSet {
 public:
  /// Holds at most `most` records. Appends to `items` without moving elements; `items`, `layout`
  /// and `arena` must outlive it.
  AccessSet(std::vector<Access::Item>& items, std::uint32_t most, const StoreLayout& layout,
            Arena& arena);

  /// Forgets the records of the previous attempt.
  void clear();

  /// Returns the record's handle; keeps the intent of the first call. Throws std::logic_error when
  /// there are more than `most`.
  txn::Transaction::Handle find_or_add(const RecordName& name, Access::Intent intent);

  std::size_t size() const { return accesses_.size(); }
  Access& operator[](std::size_t number) { return accesses_[number]; }
  auto begin() const { return accesses_.begin(); }
  auto end() const { return accesses_.end(); }
  auto begin() { return accesses_.begin(); }
  auto end() { return accesses_.end(); }

  /// Memory that an attempt's first records take, for rdma::Worker::expect.
  std::span<const std::byte> expected_memory() const;

 private:
  txn::Transaction::Handle add(const RecordName& name, Access::Intent intent);

  std::vector<Access::Item>& items_;
  std::uint32_t most_;
  const StoreLayout& layout_;
  Arena& arena_;
  std::vector<Access> accesses_;
  NameIndex names_;  // used if there may be many records
};

}  // namespace verbena::txn::occ
