// Reading the vector of commits.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/worker_metrics.h"

namespace verbena::txn::nam {

/// A snapshot is what the vector held at an instant: of each slot, how many commits were published
/// (NAM-DB paper, section 4.1). A NIC reads a vector of several cache lines line by line, and later
/// ones of its lines may hold what came after what the first ones do not hold; two such snapshots
/// may each have what the other has not. So a vector is read until it is the same twice: slots only
/// grow, so between two equal READs there was an instant at which it was that. The same holds of
/// parts of the vector that several oracles keep: all of the first READs are over before those of
/// the second begin.
/// Belongs to its fiber.
class SnapshotReader {
 public:
  /// `stable`: as described; else the vector is read once, torn or not, and slots that are behind
  /// those of the snapshot before keep these.
  SnapshotReader(rdma::Worker& worker, const Layout& layout, bool stable, WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const Layout& layout);

  /// Waits for a new snapshot; valid until the next.
  std::span<const std::uint32_t> read();

 private:
  void read_into(std::span<std::uint32_t> counts);

  rdma::Worker& worker_;
  const Layout& layout_;
  const bool stable_;
  WorkerMetrics& metrics_;
  std::span<std::uint32_t> counts_;  // the latest
  std::span<std::uint32_t> next_;
  rdma::RequestBatch batch_;
};

}  // namespace verbena::txn::nam
