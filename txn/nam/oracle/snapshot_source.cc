// READs of a fiber's own, or what its node has read.
#include "txn/nam/oracle/snapshot_source.h"

namespace verbena::txn::nam {

using rdma::Work;

SnapshotSource::SnapshotSource(rdma::Worker& worker, const Layout& layout,
                               const NodeOptions& options, const LatestVector* latest,
                               WorkerMetrics& metrics)
    : worker_(worker), session_(options.session), latest_(latest) {
  if (latest == nullptr) {
    reader_.emplace(worker, layout, options.stable_snapshots, metrics);
  } else {
    copy_.resize(layout.vector().slots());
  }
}

std::size_t SnapshotSource::scratch_bytes(const Layout& layout, const NodeOptions& options) {
  return options.background_snapshots ? 0 : SnapshotReader::scratch_bytes(layout);
}

// One that has a slot of its own finds its commits in it: WRITE and READ go by one queue pair, or
// it has waited for the WRITE.
SnapshotSource::Snapshot SnapshotSource::take(const Stamp& own) {
  if (latest_ != nullptr) return take_latest(own);
  for (;;) {
    const Nanoseconds began_at = worker_.now();
    const std::span<const std::uint32_t> counts = reader_->read();
    if (session_ == Session::kNone || visible(own, counts)) {
      return {.counts = counts, .began_at = began_at};
    }
    worker_.core().reach("nam: vector is without the fiber's own commit");
  }
}

SnapshotSource::Snapshot SnapshotSource::take_latest(const Stamp& own) {
  // Nobody wakes who waits, since the vector may have been read by another worker.
  constexpr Nanoseconds kLook = kMicrosecond / 2;
  const Stamp needed = session_ == Session::kWait ? own : Stamp();
  worker_.core().spend(Work::kPollLine);
  while (!latest_->holds(needed)) {
    worker_.core().reach("nam: fetched vector is without the fiber's own commit");
    worker_.sleep_until(worker_.now() + kLook);
    worker_.core().spend(Work::kPollLine);
  }
  const Nanoseconds began_at = latest_->copy(copy_, known_, worker_.core());
  if (session_ == Session::kOverride && !visible(own, copy_)) copy_[own.slot] = own.count;
  return {.counts = copy_, .began_at = began_at};
}

}  // namespace verbena::txn::nam
