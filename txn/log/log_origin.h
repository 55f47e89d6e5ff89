// Check that log records come from the transactions that their headers name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "txn/log/log_record.h"

namespace verbena::txn {

/// The records of one ring, which one worker of another node writes. Recovery would rely on their
/// headers, so backups check these when they apply records. Not thread-safe.
class LogOrigin {
 public:
  /// Returns the mistake in the next record of that worker's ring; empty when there is none. The
  /// record's owner has to be a fiber of the worker, with growing sequence numbers, and the record
  /// has to name the partition of each update. `payload_bytes`: see LogRecordReader::for_each.
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

  std::vector<std::uint64_t> sequences_;  // last one of each fiber
};

}  // namespace verbena::txn
