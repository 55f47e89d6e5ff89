// Beginning attempts, and giving them up.
#include "txn/nam/attempt/attempt.h"

#include "txn/nam/measures.h"

namespace verbena::txn::nam {

Attempt::Attempt(rdma::Worker& worker, std::uint16_t fiber, const Layout& layout,
                 const NodeOptions& options, const LatestVector* latest, rdma::Region* own_records,
                 WorkerMetrics& metrics, AttemptStatus& status, SnapshotAge& age)
    : worker_(worker),
      layout_(layout),
      options_(options),
      metrics_(metrics),
      status_(status),
      age_(age),
      number_(layout.fibers().of(worker.node(), worker.id(), fiber)),
      snapshot_(worker, layout, options, latest, metrics),
      batch_(worker.connections()),
      servers_(worker, batch_, own_records),
      calls_(worker.rpc()) {}

void Attempt::begin() {
  step_ = Step::kReads;
  ++attempts_;
  times_ = {};
}

void Attempt::access_servers() {
  servers_.post();
  servers_.wait();
}

void Attempt::give_way() {
  if (servers_.by_cpu()) worker_.give_way();
}

void Attempt::lose(const RecordName& name, AbortCause cause, std::uint64_t word) {
  if (!doomed()) conflict_ = {.name = name, .word = word};
  doom(cause);
}

bool Attempt::check_age() {
  if (age_.usable()) return true;
  reach("nam: snapshot gets too old");
  doom(Abort::kSnapshotTooOld);
  return false;
}

}  // namespace verbena::txn::nam
