// Reads of the vector of commits.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/one_sided/request_batch.h"
#include "rdma/worker.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/worker_metrics.h"

namespace verbena::txn::nam {

/// Reads snapshots: the vector at one instant, the number of published commits of each slot (NAM-DB
/// paper, section 4.1).
///
/// A NIC reads a vector of several cache lines line by line, so a later line may hold a commit made
/// after one that an earlier line misses; two such snapshots may each lack a commit of the other.
/// So the vector is read until two READs in a row are equal: slots only grow, so the vector had
/// that value between them. The same holds for a vector in parts at several oracles: all first
/// READs end before the second ones begin. Belongs to its fiber.
class SnapshotReader {
 public:
  /// `stable`: true to read as described. Otherwise reads the vector once, torn or not; a slot
  /// behind the previous snapshot's keeps the value of that one.
  SnapshotReader(rdma::Worker& worker, const Layout& layout, bool stable, WorkerMetrics& metrics);

  static std::size_t scratch_bytes(const Layout& layout);

  /// Waits for a new snapshot, which is valid until the next call.
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
