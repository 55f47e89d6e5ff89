// The part of transactions that all systems share.
#include "txn/transaction.h"

#include <cassert>
#include <stdexcept>

#include "rdma/worker.h"

namespace verbena::txn {

void Transaction::begin(Kind kind) {
  if (recorder_ != nullptr) recorder_->begin(worker_.now());
  begin_attempt(kind);
}

bool Transaction::scan(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) {
  const bool scanned = scan_range(range, limit, keys);
  if (scanned && recorder_ != nullptr) recorder_->scan(range, limit, keys);
  return scanned;
}

bool Transaction::scan_range(const KeyRange&, std::uint32_t, std::vector<Key>&) {
  throw std::logic_error("a system without scans was asked to scan");
}

std::uint64_t Transaction::draw(TableId table, PartitionId partition, Key key) {
  return draw_number({.table = table, .partition = partition, .key = key});
}

std::uint64_t Transaction::draw_number(const RecordName&) {
  throw std::logic_error("a system that draws no numbers was asked for one");
}

bool Transaction::commit() {
  if (recorder_ != nullptr) recorder_->write(items_);
  const bool committed = commit_attempt();
  if (recorder_ != nullptr) {
    recorder_->end(committed ? Outcome::kCommitted : Outcome::kAborted, worker_.now());
  }
  return committed;
}

bool Transaction::roll_back() {
  if (recorder_ != nullptr) recorder_->write(items_);
  const bool stands = roll_back_attempt();
  if (recorder_ != nullptr) {
    recorder_->end(stands ? Outcome::kRolledBack : Outcome::kAborted, worker_.now());
  }
  return stands;
}

void Transaction::abandon() {
  if (!doomed()) throw std::logic_error("an attempt that is not doomed was abandoned");
  [[maybe_unused]] const bool committed = commit();
  assert(!committed);
}

void Transaction::record_place() { recorder_->take_place(worker_.now()); }

void Transaction::wait(Nanoseconds duration) { worker_.sleep_until(worker_.now() + duration); }

}  // namespace verbena::txn
