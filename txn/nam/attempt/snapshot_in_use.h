// The snapshot that an attempt reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/age_limit.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/snapshot_source.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_image.h"
#include "txn/nam/versions/version_choice.h"
#include "txn/nam/worker_metrics.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// One at a time, which each attempt takes when it first needs it: which versions it holds, and
/// whether it is of use still. Belongs to the transaction's fiber.
class SnapshotInUse {
 public:
  /// See SnapshotSource.
  SnapshotInUse(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                const LatestVector* latest, WorkerMetrics& metrics);

  /// Forgets that of the attempt before.
  void begin() { counts_ = {}; }
  bool taken() const { return !counts_.empty(); }
  /// Waits for one. `own` is the fiber's last commit.
  void take(const Stamp& own);

  /// Of each slot of the vector, how many commits it holds.
  std::span<const std::uint32_t> counts() const { return counts_; }
  /// When it began to be read.
  Nanoseconds began_at() const { return began_at_; }
  bool holds(std::uint64_t version) const;
  /// The version that is to be read, by a record's headers as they were read.
  VersionChoice choose(const OldHeader* headers) const;

  /// How long a snapshot may be gone by; kNever: always.
  Nanoseconds usable_for() const;
  /// Whether it may be gone by now: what memory servers have taken out of indexes or overflow since
  /// may be in an older one.
  bool usable();
  /// See AgeLimit.
  void attempt_ended(bool over, Nanoseconds now) { age_limit_.attempt_ended(over, now); }

 private:
  /// True if snapshots become useless.
  bool ages() const { return layout_.collects() || layout_.overflows(); }

  rdma::Worker& worker_;
  const Layout& layout_;
  const NodeOptions& options_;
  WorkerMetrics& metrics_;
  SnapshotSource source_;
  AgeLimit age_limit_;
  std::span<const std::uint32_t> counts_;
  Nanoseconds began_at_ = 0;
};

}  // namespace verbena::txn::nam
