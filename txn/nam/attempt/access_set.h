// Records of an attempt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "txn/nam/attempt/access.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/records/layout.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Holds one Access for each name, by the handles of txn::Transaction, and the memory of their
/// images, headers and payloads. Belongs to the transaction's fiber.
class AccessSet {
 public:
  using Item = txn::Transaction::Item;
  using Intent = txn::Transaction::Intent;

  /// Takes memory from the worker's scratch memory. Appends to `items`, the transaction's.
  AccessSet(Attempt& attempt, std::vector<Item>& items, const TransactionLimits& limits);

  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits);

  /// Forgets the records of the previous attempt.
  void clear();

  /// Returns the record's handle; keeps the intent of the first call. Throws std::logic_error when
  /// records need more memory than was declared.
  txn::Transaction::Handle find_or_add(const RecordName& name, Intent intent);

  /// Allocates whole cache lines of scratch memory, until clear(). Throws as find_or_add does.
  std::byte* allocate(std::size_t bytes);

  auto begin() { return accesses_.begin(); }
  auto end() { return accesses_.end(); }
  auto begin() const { return accesses_.begin(); }
  auto end() const { return accesses_.end(); }
  /// Accesses added since the last all_fetched().
  std::span<Access> unfetched() { return std::span(accesses_).subspan(fetched_); }
  void all_fetched() { fetched_ = accesses_.size(); }

  Item& item(const Access& access) { return items_[number(access)]; }
  const Item& item(const Access& access) const { return items_[number(access)]; }
  bool written(const Access& access) const { return item(access).written; }
  bool any_drawn_written() const {
    return std::ranges::any_of(items_, [](const Item& i) { return i.written && i.drawn; });
  }
  const Layout::Table& table(const Access& access) const {
    return layout_.table(access.name().table);
  }

  /// Ends the look-up; `found`: the image holds the version that was sought.
  void settle(Access& access, bool found);

 private:
  std::size_t number(const Access& access) const {
    return static_cast<std::size_t>(&access - accesses_.data());
  }

  Attempt& attempt_;
  const Layout& layout_;
  std::vector<Item>& items_;
  std::vector<Access> accesses_;
  std::size_t fetched_ = 0;  // accesses before it are settled
  std::span<std::byte> memory_;
  std::size_t used_ = 0;  // bytes of memory_
};

}  // namespace verbena::txn::nam
