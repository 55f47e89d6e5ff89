// Snapshot that an attempt reads.
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

/// Holds one snapshot at a time; each attempt takes one when it first needs it. Belongs to the
/// transaction's fiber.
class SnapshotInUse {
 public:
  /// See SnapshotSource.
  SnapshotInUse(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                const LatestVector* latest, WorkerMetrics& metrics);

  /// Waits for a snapshot, which replaces the previous one, and returns when its READ began. `own`
  /// is the fiber's last commit.
  Nanoseconds take(const Stamp& own);

  /// Commits that the snapshot holds of each slot of the vector.
  std::span<const std::uint32_t> counts() const { return counts_; }
  bool holds(std::uint64_t version) const;
  /// Chooses the old version to read, by the headers that were read of a record.
  VersionChoice choose(const OldHeader* headers) const;

 private:
  rdma::Worker& worker_;
  const Layout& layout_;
  WorkerMetrics& metrics_;
  SnapshotSource source_;
  std::span<const std::uint32_t> counts_;
};

}  // namespace verbena::txn::nam
