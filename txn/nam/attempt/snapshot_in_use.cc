// Taking snapshots, and choosing versions by them.
#include "txn/nam/attempt/snapshot_in_use.h"

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

SnapshotInUse::SnapshotInUse(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                             const LatestVector* latest, WorkerMetrics& metrics)
    : worker_(worker),
      layout_(layout),
      metrics_(metrics),
      source_(worker, layout, options, latest, metrics) {}

Nanoseconds SnapshotInUse::take(const Stamp& own) {
  const SnapshotSource::Snapshot taken = source_.take(own);
  counts_ = taken.counts;
  const Nanoseconds now = worker_.now();
  metrics_.record(now, Time::kSnapshotAge, now - taken.began_at);
  return taken.began_at;
}

bool SnapshotInUse::holds(std::uint64_t version) const {
  return visible(stamp_of(version), counts_);
}

VersionChoice SnapshotInUse::choose(const OldHeader* headers) const {
  const VersionChoice choice =
      choose_version(std::span(headers, layout_.headers_of_record()), counts_, layout_.overflows());
  if (choice.versions == Versions::kTorn) {
    worker_.core().reach("nam: headers of old versions are of different times");
  }
  return choice;
}

}  // namespace verbena::txn::nam
