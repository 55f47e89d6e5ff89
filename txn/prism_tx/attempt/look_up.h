// Reads of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "txn/metrics.h"
#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/records/access.h"
#include "txn/prism_tx/records/record_reads.h"
#include "txn/transaction.h"

namespace verbena::txn::prism_tx {

/// Executes an attempt's reads (PRISM paper, section 8.2): of each record its slot and then its
/// object, all records at once; where the object is another key's, the next slot. The version read
/// is the later one of slot and object, since an attempt that was given up may have raised the
/// slot's. A key without slot gets one, with an object without value, so that its absence is
/// validated as values are.
class LookUp {
 public:
  explicit LookUp(Client& client);

  /// Fetches those of `accesses` that `items`, at the same indices, do not have yet; of a record
  /// that is only replaced, no more than its presence. Returns why that is impossible; nothing is
  /// known of these records then. Throws ConfigurationError when keys to be inserted find no slot.
  std::optional<AbortCause> fetch(std::span<Access> accesses, std::span<Transaction::Item> items);

 private:
  enum class Found : std::uint8_t { kOwn, kAnothers, kNobodys };

  bool choose_slot(Access& access, Transaction::Item& item) const;
  void read_all(std::span<Access> accesses, std::span<Transaction::Item> items);
  Found take(Access& access, Transaction::Item& item, std::size_t read);
  std::optional<AbortCause> claim_all(std::span<Access> accesses,
                                      std::span<Transaction::Item> items);
  std::optional<AbortCause> take_claim(Access& access, Transaction::Item& item, std::size_t claim);

  Client& client_;
  std::unique_ptr<RecordReads> reads_;
  std::unique_ptr<prism::Installs> claims_;
  std::vector<std::size_t> wanted_;  // indices
  std::vector<std::size_t> nobodys_;
};

}  // namespace verbena::txn::prism_tx
