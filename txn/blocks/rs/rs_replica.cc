// One READ, or one chain.
#include "txn/blocks/rs/rs_replica.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/bounded_reader.h"
#include "rdma/chain/chain_message.h"
#include "txn/blocks/rs/rs_measures.h"
#include "txn/prism/install_newer.h"

namespace verbena::txn::blocks {
namespace {

/// The region of blocks is a server's first.
constexpr RegionId kBlocks{0};

/// Before a replica without free buffer is asked again: others give theirs back meanwhile.
constexpr Nanoseconds kPause = 10 * kMicrosecond;

/// For a buffer that is free: longer than it takes until those of a dead client are found.
constexpr Nanoseconds kLongestWait = 10 * kSecond;

// Tags are the versions that are compared.
static_assert(sizeof(Metadata) == sizeof(prism::VersionAndPointer));
static_assert(offsetof(Metadata, pointer) == offsetof(prism::VersionAndPointer, pointer));

}  // namespace

RsReplica::RsReplica(rdma::Worker& worker, std::shared_ptr<Errands> errands,
                     rdma::BufferReports& reports, prism::WorkerMetrics& metrics)
    : worker_(worker),
      errands_(std::move(errands)),
      reports_(reports),
      metrics_(metrics),
      batch_(worker.rpc()) {}

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
  const bool whole = phase.value_bytes() > 0;
  const std::uint64_t at =
      phase.at() + (whole ? offsetof(Metadata, pointer) : offsetof(Metadata, tag));
  const rdma::ChainId chain = batch_.chain(errands_->replica(), kBlocks);
  const rdma::OpId read =
      batch_.read(chain, {.offset = at, .indirect = whole},
                  static_cast<std::uint32_t>(sizeof(Tag)) + phase.value_bytes());
  batch_.post();
  batch_.wait();
  metrics_.count(worker_.now(), RsCounter::kReads);
  BoundedReader reader(batch_.data(read));
  const Tag tag = reader.take<Tag>();
  phase.take(errands_->place(), tag, reader.take_bytes(phase.value_bytes()));
  batch_.clear();
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
  const rdma::ChainId chain = batch_.chain(errands_->replica(), kBlocks);
  std::array<rdma::OpId, 3> operations{};
  std::ranges::transform(prism::install_newer(phase.list(), phase.metadata_at(), phase.object()),
                         operations.begin(),
                         [&](const rdma::Operation& one) { return batch_.add(chain, one); });
  batch_.post();
  batch_.wait();
  const auto done = [&](rdma::OpId one) {
    return batch_.outcome(one) == rdma::ChainOutcome::kDone;
  };
  metrics_.count(worker_.now(), RsCounter::kChains);
  const bool allocated = done(operations[1]);
  const bool swapped = done(operations[2]);
  std::uint64_t unused = allocated ? batch_.allocated(operations[1]) : 0;
  if (swapped) {
    Metadata replaced;
    std::memcpy(&replaced, batch_.data(operations[2]).data(), sizeof replaced);
    unused = replaced.pointer;
  }
  batch_.clear();
  if (!allocated) return false;
  phase.answer(errands_->place());
  worker_.core().reach("blocks: version written at a replica");
  if (!swapped) {
    worker_.core().reach("blocks: newer tag met");
    metrics_.count(worker_.now(), RsCounter::kNotSwapped);
  }
  give_back(phase.list(), unused);
  return true;
}

void RsReplica::give_back(rdma::FreeListId list, std::uint64_t buffer) {
  metrics_.count(worker_.now(), RsCounter::kBuffersBack);
  reports_.give_back(errands_->replica(), list, buffer);
}

std::size_t RsReplica::message_bytes(const RsLayout& layout) {
  std::uint32_t longest = 0;
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    longest = std::max(longest, layout.object_bytes(static_cast<TableId>(t)));
  }
  const std::vector<std::byte> object(longest);
  std::size_t bytes = rdma::kChainHeaderBytes;
  for (const rdma::Operation& one : prism::install_newer(0, 0, object)) bytes += request_bytes(one);
  return bytes;
}

}  // namespace verbena::txn::blocks
