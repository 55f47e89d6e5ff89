// Source of the snapshots of a fiber's transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/nam/node_options.h"
#include "txn/nam/oracle/latest_vector.h"
#include "txn/nam/oracle/snapshot_reader.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/worker_metrics.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// READs the vector of commits for each transaction, or takes the latest that its node has READ.
/// The vector may lack the fiber's own last commit, see Session. Belongs to its fiber.
class SnapshotSource {
 public:
  /// `latest`: of the node, if it READs vectors in the background; else null.
  SnapshotSource(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                 const LatestVector* latest, WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const Layout& layout, const NodeOptions& options);

  struct Snapshot {
    std::span<const std::uint32_t> counts;  ///< empty: none
    Nanoseconds began_at = 0;               ///< start of its READ
  };

  /// Waits for a snapshot, valid until the next call. It holds `own`, the fiber's last commit,
  /// except with Session::kNone.
  Snapshot take(const Stamp& own);

 private:
  Snapshot take_latest(const Stamp& own);

  rdma::Worker& worker_;
  const Session session_;
  const LatestVector* latest_;
  std::optional<SnapshotReader> reader_;
  std::vector<std::uint32_t> copy_;  // of the latest vector
  std::uint32_t known_ = 0;          // its number
};

}  // namespace verbena::txn::nam
