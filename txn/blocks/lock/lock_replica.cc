// One request after the other.
#include "txn/blocks/lock/lock_replica.h"

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/cache_line.h"
#include "txn/blocks/lock/lock_measures.h"

namespace verbena::txn::blocks {
namespace {

/// The region of blocks is a replica's first.
constexpr RegionId kBlocks{0};

constexpr std::uint64_t kNobody = 0;

}  // namespace

LockReplica::LockReplica(rdma::Worker& worker, std::shared_ptr<Errands> errands,
                         const LockLayout& layout, std::uint64_t number,
                         prism::WorkerMetrics& metrics)
    : worker_(worker),
      errands_(std::move(errands)),
      number_(number),
      metrics_(metrics),
      requests_(worker.connections()),
      memory_(worker.allocate_scratch(scratch_bytes(layout))) {}

std::size_t LockReplica::scratch_bytes(const LockLayout& layout) {
  return cache_lines(sizeof(Tag) + layout.longest_value_bytes()) * kCacheLineBytes;
}

Errand LockReplica::locking(const std::shared_ptr<LockPhase>& phase) {
  return {.phase = phase, .carry_out = [self = shared_from_this(), phase] { self->lock(*phase); }};
}

Errand LockReplica::reading(const std::shared_ptr<ReadPhase>& phase) {
  return {.phase = phase, .carry_out = [self = shared_from_this(), phase] { self->read(*phase); }};
}

Errand LockReplica::writing(const std::shared_ptr<LockedWritePhase>& phase) {
  return {.phase = phase,
          .carry_out = [self = shared_from_this(), phase] { self->write(*phase); },
          .lasting = true};
}

Errand LockReplica::unlocking(const std::shared_ptr<Phase>& phase, std::uint64_t block) {
  return {.phase = phase,
          .carry_out =
              [self = shared_from_this(), phase, block] {
                self->unlock(block);
                phase->answer(self->errands_->place());
              },
          .lasting = true};
}

RemoteAddress LockReplica::at(std::uint64_t offset) const {
  return {.node = errands_->replica(), .region = kBlocks, .offset = offset};
}

void LockReplica::carry_out(prism::Counter counter) {
  metrics_.count(worker_.now(), counter);
  requests_.post();
  requests_.wait();
  errands_->progress();
}

std::uint64_t LockReplica::compare_and_swap(std::uint64_t block, std::uint64_t expected,
                                            std::uint64_t desired) {
  std::uint64_t found = 0;
  requests_.compare_and_swap(at(block + offsetof(LockBlock, lock)), expected, desired, &found);
  carry_out(desired == kNobody ? LockCounter::kUnlocks : LockCounter::kLocks);
  return found;
}

// The operation may have gone on meanwhile.
void LockReplica::lock(LockPhase& phase) {
  const std::uint64_t holder = compare_and_swap(phase.block(), kNobody, number_);
  if (holder != kNobody) {
    worker_.core().reach("blocks: lock refused");
    metrics_.count(worker_.now(), LockCounter::kRefused);
    return phase.refuse(errands_->place(), holder);
  }
  if (!phase.over()) return phase.answer(errands_->place());
  worker_.core().reach("blocks: lock that came late given back");
  metrics_.count(worker_.now(), LockCounter::kLateLocks);
  unlock(phase.block());
}

void LockReplica::read(ReadPhase& phase) {
  const std::size_t bytes = sizeof(Tag) + phase.value_bytes();
  requests_.read(at(phase.at() + offsetof(LockBlock, tag)), memory_.data(),
                 static_cast<std::uint32_t>(bytes));
  carry_out(LockCounter::kReads);
  Tag tag;
  std::memcpy(&tag, memory_.data(), sizeof tag);
  phase.take(errands_->place(), tag, memory_.subspan(sizeof tag, phase.value_bytes()));
}

void LockReplica::write(LockedWritePhase& phase) {
  const std::span<const std::byte> source = phase.tag_and_value();
  worker_.core().reach("blocks: locked block is being written");
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(source.size()));
  std::memcpy(memory_.data(), source.data(), source.size());
  requests_.write(at(phase.block() + offsetof(LockBlock, tag)), memory_.data(),
                  static_cast<std::uint32_t>(source.size()));
  carry_out(LockCounter::kWrites);
  phase.answer(errands_->place());
}

void LockReplica::unlock(std::uint64_t block) {
  const std::uint64_t found = compare_and_swap(block, number_, kNobody);
  if (found == number_) return;
  throw std::logic_error("client " + std::to_string(number_) + " gives back a lock that client " +
                         std::to_string(found) + " holds");
}

}  // namespace verbena::txn::blocks
