// Scanning by a snapshot.
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

/// Scans by RPC, which gives keys with their current versions, after the snapshot: all that this
/// holds has entries by then. What the snapshot holds of a key is told by its current version, if
/// that is in it: the latest version that had been installed when the server looked, and so of all
/// that are in the snapshot. Else the headers of the old versions tell. Belongs to the
/// transaction's fiber.
class RangeScan {
 public:
  /// Takes its memory of the worker's scratch memory. `told` is the worker's.
  RangeScan(Attempt& attempt, const TransactionLimits& limits, OverflowReads& overflow,
            ToldVectors& told);

  static std::size_t scratch_bytes(const Layout& layout, const TransactionLimits& limits);

  /// Throws std::logic_error for a scan of more keys than were declared.
  void check_limit(std::uint32_t limit) const;
  /// Appends exactly the keys of the snapshot, which was taken, up to `limit`. False: the attempt
  /// is doomed.
  bool scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys);

  /// The table and partition that were scanned last.
  const RecordName& scanned() const { return name_; }

 private:
  /// A key that the server has listed.
  struct Listed {
    ListedKey key;
    OldHeader* headers = nullptr;  // to be read, since the current version is not in the snapshot
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
