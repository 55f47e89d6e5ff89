// Taking snapshots, and their age.
#include "txn/nam/attempt/snapshot_in_use.h"

#include <cassert>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

SnapshotInUse::SnapshotInUse(rdma::Worker& worker, const Layout& layout, const NodeOptions& options,
                             const LatestVector* latest, WorkerMetrics& metrics)
    : worker_(worker),
      layout_(layout),
      options_(options),
      metrics_(metrics),
      source_(worker, layout, options, latest, metrics),
      age_limit_({.name = "nam.longest_transaction",
                  .value = options.longest_transaction,
                  .by_default = NodeOptions{}.longest_transaction}) {}

void SnapshotInUse::take(const Stamp& own) {
  assert(!taken());
  const SnapshotSource::Snapshot taken = source_.take(own);
  counts_ = taken.counts;
  began_at_ = taken.began_at;
  const Nanoseconds now = worker_.now();
  metrics_.record(now, Time::kSnapshotAge, now - began_at_);
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

Nanoseconds SnapshotInUse::usable_for() const {
  return ages() ? options_.longest_transaction : kNever;
}

bool SnapshotInUse::usable() {
  if (!ages() || age_limit_.allows(began_at_, worker_.now())) return true;
  worker_.core().reach("nam: snapshot gets too old");
  return false;
}

}  // namespace verbena::txn::nam
