// The course of a transaction through its phases.
#include "txn/occ/transaction.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "txn/occ/transaction_node.h"

namespace verbena::txn::occ {

using rdma::Work;

namespace {

/// Accesses that are worth fetching before it is known whether there are so many.
constexpr std::size_t kExpected = 4;

/// Up to so many records, looking at all is faster than an index.
constexpr std::uint32_t kFew = 16;

}  // namespace

Transaction::Transaction(Coordinator& coordinator, std::uint16_t fiber)
    : txn::Transaction(coordinator.worker()),
      node_(coordinator.node()),
      coordinator_(coordinator),
      fiber_(fiber),
      arena_(worker_.allocate_scratch(node_.arena_bytes())),
      requests_(worker_.connections()),
      calls_(worker_.rpc()),
      names_(node_.options().limits.records > kFew ? node_.options().limits.records : 1) {
  // Accesses point to their items, which so must stay where they are.
  items_.reserve(node_.options().limits.records);
  accesses_.reserve(node_.options().limits.records);
}

Transaction::~Transaction() = default;

const RecordFormat& Transaction::format(const Access& access) const {
  return node_.layout().table(access.name.table).format;
}

RemoteAddress Transaction::address(const Access& access, std::uint32_t offset) const {
  RemoteAddress at = node_.record_address(access.name, access.entry);
  at.offset += offset;
  return at;
}

bool Transaction::local(const Access& access) const {
  return access.name.partition == node_.node();
}

void Transaction::begin(Kind kind) {
  start_attempt(kind);
  worker_.core().spend(Work::kTransactionSetup);
  arena_.reset();
  accesses_.clear();
  names_.clear();
  scans_.clear();
  started_ = fetched_ = 0;
  assert(!outstanding_);
  if (sequence_++ == 0) {
    worker_.expect(this, sizeof *this);
    worker_.expect(accesses_.data(), std::min(accesses_.capacity(), kExpected) * sizeof(Access));
    worker_.expect(items_.data(), std::min(items_.capacity(), kExpected) * sizeof(Item));
  }
  owner_word_ = LockOwner{.node = node_.node(),
                          .worker = worker_.id(),
                          .fiber = fiber_,
                          .attempt = static_cast<std::uint16_t>(sequence_)}
                    .word();
  began_at_ = worker_.now();
  turn_began_ = worker_.turn_began();
}

Transaction::Handle Transaction::want(const RecordName& name, Intent intent) {
  assert(active());
  const auto next = static_cast<Handle>(accesses_.size());
  if (node_.options().limits.records > kFew) {
    const Handle known = names_.find_or_add(name, next);
    return known == next ? add_access(name, intent) : known;
  }
  for (Handle i = 0; i < next; ++i) {
    if (accesses_[i].name == name) return i;
  }
  return add_access(name, intent);
}

Transaction::Handle Transaction::add_access(const RecordName& name, Intent intent) {
  if (accesses_.size() == node_.options().limits.records) {
    throw std::logic_error("a transaction touches more than " + std::to_string(accesses_.size()) +
                           " records, as was declared");
  }
  assert(accesses_.size() == items_.size());
  const RecordFormat& layout = node_.layout().table(name.table).format;
  Item& item = items_.emplace_back();
  Access& access = accesses_.emplace_back();
  access.name = name;
  access.item = &item;
  access.entry = kNowhere;
  access.image = arena_.allocate(layout.bytes(), kLineBytes);
  item.payload = layout.lines() == 1 ? access.image + kRecordHeaderBytes
                                     : arena_.allocate(layout.payload_bytes());
  item.bytes = layout.payload_bytes();
  item.intent = intent;
  access.header = arena_.allocate(16);
  return static_cast<Handle>(accesses_.size() - 1);
}

void Transaction::post_and_wait(const PhasePlan& phase) {
  const bool one_sided = !requests_.empty();
  const bool two_sided = calls_.size() > 0;
  if (one_sided) requests_.post(doorbell(phase));
  if (two_sided) calls_.post(doorbell(phase));
  if (one_sided) requests_.wait();
  if (two_sided) calls_.wait();
}

bool Transaction::commit() {
  assert(active() && (doomed() || fetched_ == accesses_.size()));
  await_outstanding();
  const Plan& plan = node_.plan();
  const Nanoseconds executed = worker_.now();
  Nanoseconds validated = executed;
  Nanoseconds logged = executed;
  if (!doomed() && !any_written()) {
    if (accesses_.size() > 1 || !scans_.empty()) {
      validate_read_set(kind() == Kind::kReadOnly ? plan.read_validate : plan.validate);
    }
    validated = logged = worker_.now();
  } else if (!doomed()) {
    if (lock_write_set()) validate_read_set(plan.validate);
    if (!doomed()) {
      validated = worker_.now();
      write_logs();
      logged = worker_.now();
    }
  }
  if (doomed()) {
    release_locks();
    finish(false, worker_.now());
    return false;
  }
  if (any_written()) write_back();
  release_locks();  // of what was locked when it was read and then not written
  coordinator_.release_log(fiber_);
  if (coordinator_.measured(logged)) record_phases(executed, validated, logged);
  finish(true, logged);
  return true;
}

void Transaction::record_phases(Nanoseconds executed, Nanoseconds validated, Nanoseconds logged) {
  auto& phases = coordinator_.metrics().phases;
  phases[static_cast<std::size_t>(Phase::kExecute)].record(executed - began_at_);
  phases[static_cast<std::size_t>(Phase::kValidate)].record(validated - executed);
  if (!any_written()) return;
  phases[static_cast<std::size_t>(Phase::kLog)].record(logged - validated);
  phases[static_cast<std::size_t>(Phase::kCommit)].record(worker_.now() - logged);
}

bool Transaction::roll_back() {
  assert(active());
  await_outstanding();
  // What was to be written and is not locked is validated like what was only read.
  for (Item& item : items_) item.written = false;
  if (!doomed() && (accesses_.size() > 1 || !scans_.empty())) {
    validate_read_set(node_.plan().validate);
  }
  const bool stands = !doomed();
  if (stands) doom(Abort::kRolledBack);
  release_locks();
  finish(false, worker_.now());
  return stands;
}

void Transaction::finish(bool committed, Nanoseconds decided_at) {
  assert(std::none_of(accesses_.begin(), accesses_.end(), locked));
  if (coordinator_.history() != nullptr) record_history(committed, decided_at);
  if (coordinator_.measured(decided_at)) {
    if (committed) {
      ++coordinator_.metrics().committed;
    } else {
      coordinator_.metrics().count(*cause());
    }
  }
  end_attempt(decided_at);
}

void Transaction::record_history(bool committed, Nanoseconds decided_at) {
  history_accesses_.clear();
  for (const Access& access : accesses_) {
    if (access.entry == kNowhere) continue;
    history_accesses_.push_back(
        {.record = access.name,
         .entry = access.entry,
         .read_absent = !access.item->found,
         .read_version = change_count(access.version),
         .written_version = access.item->written ? change_count(new_version(access)) : 0});
  }
  coordinator_.history()->add({.owner = LockOwner::of(owner_word_),
                               .sequence = sequence_,
                               .committed = committed,
                               .begin = turn_began_,
                               .end = decided_at},
                              history_accesses_);
}

}  // namespace verbena::txn::occ
