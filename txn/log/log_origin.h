// Check that log records come from the transactions that their headers name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "txn/log/log_record.h"

namespace verbena::txn {

/// The records of one ring, which one worker of another node writes. Recovery would go by what
/// their headers tell, so backups look at that when they apply them. Not thread-safe.
class LogOrigin {
 public:
  /// The mistake in the next record of the ring of that worker; empty: none. The record's owner has
  /// to be a fiber of the worker, whose sequence numbers grow, and the record has to name the
  /// partition of each update. `payload_bytes`: see LogRecordReader::for_each.
  template <typename PayloadBytes>
  std::string mistake_of(const LogRecordReader& record, NodeId node, WorkerId worker,
                         PayloadBytes&& payload_bytes) {
    std::string mistake = mistake_of_header(record.header(), node, worker);
    record.for_each(payload_bytes, [&](const LogUpdate& update, const std::byte*) {
      if (names(record, update.partition)) return;
      mistake = "an update is of partition " + std::to_string(update.partition) +
                ", which the record does not name";
    });
    return mistake;
  }

 private:
  std::string mistake_of_header(const LogHeader& header, NodeId node, WorkerId worker);
  static bool names(const LogRecordReader& record, PartitionId partition);

  std::vector<std::uint64_t> sequences_;  // of each fiber, the last
};

}  // namespace verbena::txn
