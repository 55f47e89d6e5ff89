// One READ, or one chain.
#include "txn/blocks/rs/rs_replica.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/bounded_reader.h"
#include "txn/blocks/rs/rs_measures.h"

namespace verbena::txn::blocks {
namespace {

/// Before a replica without free buffer is asked again: others give theirs back meanwhile.
constexpr Nanoseconds kPause = 10 * kMicrosecond;

/// For a buffer that is free: longer than it takes until those of a dead client are found.
constexpr Nanoseconds kLongestWait = 10 * kSecond;

}  // namespace

RsReplica::RsReplica(rdma::Worker& worker, std::shared_ptr<Errands> errands,
                     std::unique_ptr<RsAccess> access, rdma::BufferReports& reports,
                     prism::WorkerMetrics& metrics)
    : worker_(worker),
      errands_(std::move(errands)),
      access_(std::move(access)),
      reports_(reports),
      metrics_(metrics) {}

Errand RsReplica::reading(const std::shared_ptr<ReadPhase>& phase) {
  return {.phase = phase, .carry_out = [self = shared_from_this(), phase] { self->read(*phase); }};
}

Errand RsReplica::writing(const std::shared_ptr<RsWritePhase>& phase, bool lasting) {
  return {.phase = phase,
          .carry_out = [self = shared_from_this(), phase] { self->write(*phase); },
          .lasting = lasting,
          .block = phase->metadata_at()};
}

void RsReplica::read(ReadPhase& phase) {
  std::uint32_t round_trips = 0;
  if (phase.value_bytes() == 0) {
    const Tag tag = access_->read_tag(phase.at(), counted(round_trips));
    metrics_.count(worker_.now(), RsCounter::kReads, round_trips);
    return phase.take(errands_->place(), tag, {});
  }
  BoundedReader reader(access_->read(phase.at(), phase.value_bytes(), counted(round_trips)));
  metrics_.count(worker_.now(), RsCounter::kReads, round_trips);
  const Tag tag = reader.take<Tag>();
  phase.take(errands_->place(), tag, reader.take_bytes(phase.value_bytes()));
}

// Buffers that a client held when it died come back once it counts as dead.
void RsReplica::write(RsWritePhase& phase) {
  const Nanoseconds began = worker_.now();
  while (!try_to_write(phase)) {
    if (worker_.now() - began > kLongestWait) {
      throw std::runtime_error("node " + std::to_string(errands_->replica()) +
                               " has had no free buffer for ten seconds: more prism.spares help");
    }
    worker_.core().reach("blocks: no free buffer");
    metrics_.count(worker_.now(), RsCounter::kNoBuffer);
    reports_.flush();
    worker_.sleep_until(worker_.now() + kPause);
    errands_->progress();
  }
}

// A replica that has the tag, or a later one, has done what it was asked.
bool RsReplica::try_to_write(RsWritePhase& phase) {
  std::uint32_t round_trips = 0;
  const RsAccess::Written written =
      access_->write(phase.metadata_at(), phase.list(), phase.object(), counted(round_trips));
  metrics_.count(worker_.now(), RsCounter::kChains, round_trips);
  if (!written.had_buffer) return false;
  phase.answer(errands_->place());
  worker_.core().reach("blocks: version written at a replica");
  if (!written.newest) {
    worker_.core().reach("blocks: newer tag met");
    metrics_.count(worker_.now(), RsCounter::kNotSwapped);
  }
  if (written.unused != 0) give_back(phase.list(), written.unused);
  return true;
}

void RsReplica::give_back(rdma::FreeListId list, std::uint64_t buffer) {
  metrics_.count(worker_.now(), RsCounter::kBuffersBack);
  reports_.give_back(errands_->replica(), list, buffer);
}

// A replica that has answered makes progress, and owes nothing while its client waits for others.
prism::RoundTrip RsReplica::counted(std::uint32_t& round_trips) {
  return {.begins =
              [this, &round_trips] {
                if (round_trips++ > 0) errands_->ask_again();
              },
          .waits = [this] { errands_->wait_for_others(); }};
}

}  // namespace verbena::txn::blocks
