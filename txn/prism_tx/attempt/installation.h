// Installation of the objects that an attempt commits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/records/access.h"
#include "txn/transaction.h"

namespace verbena::txn::prism_tx {

/// Installs the objects of an attempt that is prepared, and so has committed (PRISM paper, section
/// 8.2). Each gets a new buffer, unless a later object is there already and has overwritten it.
class Installation {
 public:
  explicit Installation(Client& client);

  /// Writes each of `items` that its access, at the same index, writes. Waits for buffers where
  /// there are none. Throws ConfigurationError when there are none for long.
  void install(std::span<const Access> accesses, std::span<const Transaction::Item> items,
               Timestamp now);

 private:
  void add(const Access& access, const Transaction::Item& item, Timestamp now);
  bool take(const Access& access, const prism::Installed& installed);

  Client& client_;
  std::unique_ptr<prism::Installs> installs_;
  std::vector<std::size_t> wanted_;  // indices
  std::vector<std::byte> object_;
};

}  // namespace verbena::txn::prism_tx
