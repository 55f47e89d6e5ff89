// The course of a transaction through its phases.
#include "txn/occ/transaction.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "txn/occ/transaction_node.h"

namespace verbena::txn {

using rdma::Work;

namespace {

/// Accesses that are worth fetching before it is known whether there are so many.
constexpr std::size_t kExpected = 4;

/// Up to so many records, looking at all is faster than an index.
constexpr std::uint32_t kFew = 16;

}  // namespace

Transaction::Transaction(Coordinator& coordinator, std::uint16_t fiber)
    : node_(coordinator.node()),
      coordinator_(coordinator),
      worker_(coordinator.worker()),
      fiber_(fiber),
      arena_(worker_.allocate_scratch(node_.arena_bytes())),
      requests_(worker_),
      calls_(worker_),
      names_(node_.options().limits.records > kFew ? node_.options().limits.records : 1) {
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
  assert(!active_);
  worker_.core().spend(Work::kTransactionSetup);
  arena_.reset();
  accesses_.clear();
  names_.clear();
  scans_.clear();
  started_ = fetched_ = 0;
  kind_ = kind;
  cause_ = AbortCause::kCount;
  any_written_ = false;
  active_ = true;
  if (sequence_++ == 0) {
    worker_.expect(this, sizeof *this);
    worker_.expect(accesses_.data(), std::min(accesses_.capacity(), kExpected) * sizeof(Access));
  }
  owner_word_ = LockOwner{.node = node_.node(),
                          .worker = worker_.id(),
                          .fiber = fiber_,
                          .attempt = static_cast<std::uint16_t>(sequence_)}
                    .word();
  began_at_ = worker_.now();
  turn_began_ = worker_.turn_began();
}

Transaction::Handle Transaction::read(TableId table, NodeId partition, Key key, Intent intent) {
  const RecordName name{.table = table, .partition = partition, .key = key};
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
  Access access{};
  access.name = name;
  access.entry = kNowhere;
  access.intent = intent;
  const RecordFormat& layout = node_.layout().table(name.table).format;
  access.image = arena_.allocate(layout.bytes(), kLineBytes);
  access.payload = layout.lines() == 1 ? access.image + kRecordHeaderBytes
                                       : arena_.allocate(layout.payload_bytes());
  access.header = arena_.allocate(16);
  accesses_.push_back(access);
  return static_cast<Handle>(accesses_.size() - 1);
}

std::span<const std::byte> Transaction::payload(Handle handle) const {
  const Access& access = accesses_[handle];
  assert(access.step == Step::kDone && (access.found || access.written));
  return {access.payload, format(access).payload_bytes()};
}

std::span<std::byte> Transaction::update_payload(Handle handle) {
  Access& access = accesses_[handle];
  assert(access.step == Step::kDone && (access.found || access.written));
  assert(kind_ == Kind::kReadWrite && !access.erased);
  access.written = true;
  any_written_ = true;
  return {access.payload, format(access).payload_bytes()};
}

std::span<std::byte> Transaction::create_payload(Handle handle) {
  Access& access = accesses_[handle];
  assert(access.step == Step::kDone && access.intent == Intent::kInsert);
  assert(access.located && !access.found);
  const std::span<std::byte> payload(access.payload, format(access).payload_bytes());
  if (!access.written) std::fill(payload.begin(), payload.end(), std::byte{0});
  access.written = true;
  any_written_ = true;
  return payload;
}

void Transaction::erase(Handle handle) {
  assert(accesses_[handle].found);
  update_payload(handle);
  accesses_[handle].erased = true;
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
  assert(active_ && (doomed() || fetched_ == accesses_.size()));
  await_outstanding();
  const Plan& plan = node_.plan();
  const Nanoseconds executed = worker_.now();
  Nanoseconds validated = executed;
  Nanoseconds logged = executed;
  if (!doomed() && !any_written_) {
    if (accesses_.size() > 1 || !scans_.empty()) {
      validate_read_set(kind_ == Kind::kReadOnly ? plan.read_validate : plan.validate);
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
    finish(false);
    return false;
  }
  decided_at_ = logged;
  if (any_written_) write_back();
  release_locks();  // of what was locked when it was read and then not written
  coordinator_.release_log(fiber_);
  if (coordinator_.measured(decided_at_)) {
    auto& phases = coordinator_.metrics().phases;
    phases[static_cast<std::size_t>(Phase::kExecute)].record(executed - began_at_);
    phases[static_cast<std::size_t>(Phase::kValidate)].record(validated - executed);
    if (any_written_) {
      phases[static_cast<std::size_t>(Phase::kLog)].record(logged - validated);
      phases[static_cast<std::size_t>(Phase::kCommit)].record(worker_.now() - logged);
    }
  }
  finish(true);
  return true;
}

bool Transaction::roll_back() {
  assert(active_);
  await_outstanding();
  // What was to be written and is not locked is validated like what was only read.
  for (Access& access : accesses_) access.written = false;
  if (!doomed() && (accesses_.size() > 1 || !scans_.empty())) {
    validate_read_set(node_.plan().validate);
  }
  const bool stands = !doomed();
  if (stands) cause_ = AbortCause::kRolledBack;
  release_locks();
  finish(false);
  return stands;
}

void Transaction::finish(bool committed) {
  if (!committed) decided_at_ = worker_.now();
  if (coordinator_.history() != nullptr) record_history(committed);
  if (coordinator_.measured(decided_at_)) {
    if (committed) {
      ++coordinator_.metrics().committed;
    } else {
      coordinator_.metrics().count(cause_);
    }
  }
  active_ = false;
}

void Transaction::record_history(bool committed) {
  history_accesses_.clear();
  for (const Access& access : accesses_) {
    if (access.entry == kNowhere) continue;
    history_accesses_.push_back(
        {.record = access.name,
         .entry = access.entry,
         .read_absent = !access.found,
         .read_version = change_count(access.version),
         .written_version = access.written ? change_count(new_version(access)) : 0});
  }
  coordinator_.history()->add({.owner = LockOwner::of(owner_word_),
                               .sequence = sequence_,
                               .committed = committed,
                               .begin = turn_began_,
                               .end = decided_at_},
                              history_accesses_);
}

}  // namespace verbena::txn
