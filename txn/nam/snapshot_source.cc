// READs of a fiber's own, or what its node has read.
#include "txn/nam/snapshot_source.h"

#include <cassert>

namespace verbena::txn::nam {

using rdma::Work;

SnapshotSource::SnapshotSource(rdma::Worker& worker, const Layout& layout,
                               const NodeOptions& options, const LatestVector* latest,
                               std::uint32_t slot, WorkerMetrics& metrics)
    : worker_(worker), session_(options.session), latest_(latest), slot_(slot) {
  if (latest == nullptr) reader_.emplace(worker, layout, options.stable_snapshots, metrics);
}

std::size_t SnapshotSource::scratch_bytes(const Layout& layout, const NodeOptions& options) {
  return options.background_snapshots ? 0 : SnapshotReader::scratch_bytes(layout);
}

SnapshotSource::Snapshot SnapshotSource::take(std::uint32_t own_commits) {
  if (latest_ != nullptr) return take_latest(own_commits);
  const Nanoseconds began_at = worker_.now();
  const std::span<const std::uint32_t> counts = reader_->read();
  assert(counts[slot_] == own_commits);
  return {.counts = counts, .began_at = began_at};
}

SnapshotSource::Snapshot SnapshotSource::take_latest(std::uint32_t own_commits) {
  // Nobody wakes who waits, since the vector may have been read by another worker.
  constexpr Nanoseconds kLook = kMicrosecond / 2;
  for (;; worker_.sleep_until(worker_.now() + kLook)) {
    worker_.core().spend(Work::kLocalAtomic);
    pinned_ = latest_->get();
    if (pinned_ == nullptr) continue;
    if (pinned_->counts[slot_] == own_commits) break;
    assert(pinned_->counts[slot_] < own_commits);
    if (session_ == Session::kOverride) {
      own_ = pinned_->counts;
      own_[slot_] = own_commits;
      worker_.core().spend(Work::kCopyLine, cache_lines(own_.size() * sizeof own_[0]));
      return {.counts = own_, .began_at = pinned_->began_at};
    }
    worker_.core().reach("nam: fetched vector is without the fiber's own commit");
  }
  return {.counts = pinned_->counts, .began_at = pinned_->began_at};
}

}  // namespace verbena::txn::nam
