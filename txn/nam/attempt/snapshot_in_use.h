// The snapshot that an attempt reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/worker.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/snapshot_source.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/versions/version_choice.h"
#include "txn/nam/worker_metrics.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// One at a time, which each attempt takes when it first needs it: which versions it holds. Belongs
/// to the transaction's fiber.
class SnapshotInUse {
 public:
  /// See SnapshotSource.
  SnapshotInUse(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                const LatestVector* latest, WorkerMetrics& metrics);

  /// Waits for one, which takes the place of that of the attempt before, and tells when it began to
  /// be read. `own` is the fiber's last commit.
  Nanoseconds take(const Stamp& own);

  /// How many commits it holds of each slot of the vector.
  std::span<const std::uint32_t> counts() const { return counts_; }
  bool holds(std::uint64_t version) const;
  /// The version that is to be read, by a record's headers as they were read.
  VersionChoice choose(const OldHeader* headers) const;

 private:
  rdma::Worker& worker_;
  const Layout& layout_;
  WorkerMetrics& metrics_;
  SnapshotSource source_;
  std::span<const std::uint32_t> counts_;
};

}  // namespace verbena::txn::nam
