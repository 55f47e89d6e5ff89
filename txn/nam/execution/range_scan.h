// Scans of a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/message_io.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/execution/overflow_reads.h"
#include "txn/nam/messages.h"
#include "txn/nam/oracle/known_vectors.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::txn::nam {

/// Scans by RPC after the snapshot was taken, so every key of the snapshot has an entry by then.
/// The server lists keys with their current versions. If the snapshot holds a key's current
/// version, that is the latest one that it holds; otherwise the headers of the old versions tell.
/// Belongs to the transaction's fiber.
class RangeScan {
 public:
  /// Takes memory from the worker's scratch memory. `told` is the worker's.
  RangeScan(Attempt& attempt, const TransactionLimits& limits, OverflowReads& overflow,
            ToldVectors& told);

  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits);

  /// Throws std::logic_error for a scan of more keys than declared.
  void check_limit(std::uint32_t limit) const;
  /// Appends exactly the keys of the snapshot that was taken, up to `limit`. Returns false if the
  /// attempt is doomed.
  bool scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);

  /// Table and partition of the last scan.
  const RecordName& scanned() const { return name_; }

 private:
  /// Key that the server has listed.
  struct Listed {
    ListedKey key;
    OldHeader* headers = nullptr;  // to be read if the current version is not in the snapshot
  };

  std::uint32_t room() const;
  bool take_page(const KeyRange& rest, std::uint32_t limit, std::vector<Key>& keys,
                 ScanReply& reply);
  ScanReply list_keys(const KeyRange& range, std::uint32_t limit);
  ScanRequest request(const KeyRange& range, std::uint32_t limit, NodeId server);
  void take_listed(const KeyRange& range, std::uint32_t room, MessageReader& reply);
  void read_headers(const Listed& listed);
  void read_all_headers();
  std::optional<bool> present(const Listed& listed);

  Attempt& attempt_;
  const Layout& layout_;
  OverflowReads& overflow_;
  ToldVectors& told_;
  std::span<OldHeader> headers_;
  std::vector<Listed> listed_;
  RecordName name_;
};

}  // namespace verbena::txn::nam
