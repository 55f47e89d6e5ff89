// Taking locks, reading, writing, and giving locks back.
#include "txn/blocks/lock/lock_operation.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "rdma/base/cache_line.h"
#include "rdma/base/errors.h"
#include "rdma/endpoint.h"
#include "txn/blocks/lock/lock_measures.h"
#include "txn/waiting_text.h"

namespace verbena::txn::blocks {
namespace {

/// Attempts to lock another replica for what is written and may not be given up any more.
constexpr std::uint32_t kMostTries = 1000;

}  // namespace

LockOperation::LockOperation(rdma::Worker& worker, const Deployment& deployment,
                             const LockLayout& layout, const Options& options,
                             const prism::Clients& clients, const prism::ClientPlace& own,
                             const std::vector<std::shared_ptr<Errands>>& errands,
                             prism::WorkerMetrics& metrics)
    : Operation(worker, deployment, metrics),
      layout_(layout),
      options_(options),
      clients_(clients),
      number_(clients.number_of(own)),
      replicas_(errands, options.ask, number_),
      random_(worker.endpoint().options().seed, own.node, own.worker, own.fiber),
      backoff_(options.lock_backoff),
      held_(errands.size()) {
  for (const auto& one : errands) {
    asked_.push_back(std::make_shared<LockReplica>(worker, one, layout, number_, metrics));
  }
}

Nanoseconds LockOperation::next_backoff() {
  const Nanoseconds wait(random_.between(1, backoff_.count()));
  backoff_ = std::min(backoff_ * 2, options_.lock_backoff_ceiling);
  return wait;
}

void LockOperation::wait(Nanoseconds duration) {
  const bool locked = !active() && cause() == LockAbort::kLocked;
  Operation::wait(locked ? next_backoff() : duration);
}

std::string LockOperation::holder_name(const LockPhase::Refusal& refusal) const {
  if (refusal.holder > clients_.count()) return "client " + std::to_string(refusal.holder);
  const prism::ClientPlace holder = clients_.of(refusal.holder);
  return holder_text(holder.node, holder.worker, holder.fiber) +
         (is_dead(refusal) ? ", which has died" : "");
}

bool LockOperation::is_dead(const LockPhase::Refusal& refusal) const {
  return refusal.holder <= clients_.count() &&
         worker_.endpoint().is_dead(clients_.of(refusal.holder).node);
}

// A lock that another client had; one of the dead, who keep theirs, before others.
LockPhase::Refusal LockOperation::in_the_way() const {
  const std::vector<LockPhase::Refusal> all = locks_->refusals();
  const auto dead = std::ranges::find_if(all, [&](const auto& one) { return is_dead(one); });
  if (dead != all.end()) return *dead;
  return all.empty() ? LockPhase::Refusal{} : all.front();
}

// Replicas that may give their locks now or later.
std::uint32_t LockOperation::left_to_the_living() const {
  std::vector<bool> lost(replicas_.count());
  for (const LockPhase::Refusal& one : locks_->refusals()) lost[one.place] = is_dead(one);
  return alive(lost);
}

bool LockOperation::gives_up() const {
  if (active() || cause() != LockAbort::kLocked) return false;
  return left_to_the_living() < replicas_.quorum();
}

std::string LockOperation::waits_for() const {
  if (current_ == nullptr) return {};
  const LockPhase::Refusal refusal = in_the_way();
  if (refusal.holder != 0 && (!active() || current_ == locks_)) {
    return "lock of " + record_text(deployment_.schema, name(), replicas_.nodes()[refusal.place]) +
           ", held by " + holder_name(refusal);
  }
  if (current_->over()) return {};
  return with_awaited("a quorum of replicas", current_->awaited());
}

void LockOperation::begin_attempt(Kind kind) {
  current_ = nullptr;
  Operation::begin_attempt(kind);
}

bool LockOperation::wait_for_quorum(Phase& phase) {
  metrics_.count(worker_.now(), LockCounter::kRoundTrips);
  return phase.wait_for(replicas_.quorum());
}

bool LockOperation::look_up() {
  const std::optional<std::uint64_t> block = layout_.block(name().table, name().key);
  item().found = block.has_value();
  if (!block) return false;
  block_ = *block;
  if (item().blind) return false;
  const auto found = find(item().bytes);
  if (found == nullptr) return true;
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(item().bytes));
  std::ranges::copy(found->value(), item().payload);
  if (!options_.skip_write_back || found->holders() < replicas_.quorum()) {
    worker_.core().reach("blocks: locked block written back");
    metrics_.count(worker_.now(), LockCounter::kWriteBacks);
    write(found->newest(), found->value());
  }
  unlock();
  return true;
}

void LockOperation::install() {
  const bool whole = options_.put_reads == PutReads::kBlock;
  const auto found = find(whole ? item().bytes : 0);
  if (found == nullptr) return;
  write(found->newest().next(number_), {item().payload, item().bytes});
  unlock();
}

// Takes the locks and reads the latest version; null: the attempt is doomed.
std::shared_ptr<ReadPhase> LockOperation::find(std::uint32_t value_bytes) {
  if (!take_locks()) {
    give_up(LockAbort::kLocked);
    return nullptr;
  }
  backoff_ = options_.lock_backoff;
  auto phase = std::make_shared<ReadPhase>(worker_, replicas_.nodes(), block_, value_bytes);
  current_ = phase;
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (locks_->granted(place)) replicas_.errands(place).add(asked_[place]->reading(phase));
  }
  const bool read = wait_for_quorum(*phase);
  phase->end();
  if (read) return phase;
  worker_.core().reach("blocks: locked replica lost");
  give_up(LockAbort::kReplicaLost);
  return nullptr;
}

// Takes locks; where a quorum alone is asked, others stand in for those of it that are dead, or
// whose locks the dead have.
bool LockOperation::take_locks() {
  replicas_.begin_operation(block_);
  locks_ = std::make_shared<LockPhase>(worker_, replicas_.nodes(), block_);
  current_ = locks_;
  const auto locking = [&](std::uint32_t place) { return asked_[place]->locking(locks_); };
  const bool others = replicas_.ask(locking);
  if (wait_for_quorum(*locks_)) return true;
  const auto of_the_dead = [&](const LockPhase::Refusal& one) { return is_dead(one); };
  if (!others || !std::ranges::all_of(locks_->refusals(), of_the_dead)) return false;
  replicas_.ask_others(locks_, locking);
  return wait_for_quorum(*locks_);
}

// The replicas that are not known to be dead, without some of all.
std::uint32_t LockOperation::alive(const std::vector<bool>& without) const {
  std::uint32_t all = 0;
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (!without[place] && !worker_.endpoint().is_dead(replicas_.nodes()[place])) ++all;
  }
  return all;
}

// Locks that come later are given back by whoever gets them. Nobody waits for that: what is asked
// of a replica next comes behind it.
void LockOperation::give_up(AbortCause cause) {
  locks_->end();
  const auto phase = std::make_shared<Phase>(worker_, replicas_.nodes());
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (!locks_->granted(place)) continue;
    replicas_.errands(place).add(asked_[place]->unlocking(phase, block_));
  }
  phase->end();
  if (alive(std::vector<bool>(held_.size())) < replicas_.quorum()) {
    locks_->require(replicas_.quorum());
  }
  doom(cause);
}

// From here on the attempt is not given up: others may read what it has written in parts.
void LockOperation::write(Tag tag, std::span<const std::byte> value) {
  std::vector<std::byte> image(sizeof tag + value.size());
  std::memcpy(image.data(), &tag, sizeof tag);
  std::ranges::copy(value, image.begin() + sizeof tag);
  worker_.core().spend(rdma::Work::kCopyLine, cache_lines(image.size()));
  const auto phase =
      std::make_shared<LockedWritePhase>(worker_, replicas_.nodes(), block_, std::move(image));
  current_ = phase;
  locks_->end();
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    held_[place] = locks_->granted(place);
    if (held_[place]) replicas_.errands(place).add(asked_[place]->writing(phase));
  }
  if (!wait_for_quorum(*phase)) write_elsewhere(phase);
  phase->end();
}

// Replicas that were locked have died since. Nobody else can have a quorum of the locks meanwhile,
// so what others hold they give back.
void LockOperation::write_elsewhere(const std::shared_ptr<LockedWritePhase>& phase) {
  worker_.core().reach("blocks: locked replica lost while it is written");
  for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
    const std::uint32_t needed = replicas_.quorum() - phase->grants() - phase->open();
    if (alive(held_) < needed) break;
    lock_more(needed, phase);
    if (wait_for_quorum(*phase)) return;
    worker_.sleep_until(worker_.now() + next_backoff());
  }
  current_ = locks_;
  if (locks_->refusals().empty()) phase->require(replicas_.quorum());
  throw PeerMissing("node " + std::to_string(worker_.node()) +
                    " has written to too few replicas, others of which are dead: " + waits_for());
}

void LockOperation::lock_more(std::uint32_t needed,
                              const std::shared_ptr<LockedWritePhase>& phase) {
  locks_ = std::make_shared<LockPhase>(worker_, replicas_.nodes(), block_);
  current_ = locks_;
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (!held_[place]) replicas_.errands(place).add(asked_[place]->locking(locks_));
  }
  metrics_.count(worker_.now(), LockCounter::kRoundTrips);
  locks_->wait_for(needed);
  locks_->end();
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (!locks_->granted(place)) continue;
    held_[place] = true;
    replicas_.errands(place).add(asked_[place]->writing(phase));
  }
  current_ = phase;
}

// Behind what is still being written.
void LockOperation::unlock() {
  locks_->end();
  const auto phase = std::make_shared<Phase>(worker_, replicas_.nodes());
  current_ = phase;
  for (std::uint32_t place = 0; place < replicas_.count(); ++place) {
    if (!held_[place] && !locks_->granted(place)) continue;
    replicas_.errands(place).add(asked_[place]->unlocking(phase, block_));
    held_[place] = false;
  }
  wait_for_quorum(*phase);
  phase->end();
}

}  // namespace verbena::txn::blocks
