// The stress workload's transactions.
#include "workloads/stress/client.h"

#include <algorithm>
#include <utility>

#include "workloads/end_attempt.h"
#include "workloads/stress/stress.h"

namespace verbena::workloads::stress {

using txn::Transaction;

Client::Client(const Stress& stress, const ClientPlace& place, Random random)
    : stress_(stress),
      chooser_(stress.options(), stress.partitions()),
      random_(random),
      next_stamp_(std::uint64_t{place.home} << 47 | std::uint64_t{place.worker % (1U << 7)} << 40 |
                  std::uint64_t{place.fiber % (1U << 12)} << 28) {}

std::uint32_t Client::next() {
  chooser_.choose(random_, input_);
  return static_cast<std::uint32_t>(input_.kind);
}

Attempt Client::execute(Transaction& transaction) {
  records_.clear();
  wanted_.clear();
  fault_.clear();
  change_ = 0;
  transaction.begin(input_.only_reads() ? Transaction::Kind::kReadOnly
                                        : Transaction::Kind::kReadWrite);
  if (input_.scans && !scan(transaction)) return abandon(transaction);
  for (const Round& round : input_.rounds) {
    if (!run(transaction, round)) return abandon(transaction);
  }
  return end(transaction);
}

Attempt Client::end(Transaction& transaction) {
  const bool stands = input_.rolls_back ? transaction.roll_back() : transaction.commit();
  if (!stands) return Attempt::kAborted;
  if (!fault_.empty()) stress_.report_read(fault_);
  if (input_.rolls_back) return Attempt::kRolledBack;
  committed_change_ += change_;
  return Attempt::kCommitted;
}

bool Client::scan(Transaction& transaction) {
  const txn::KeyRange& range = input_.range;
  if (!transaction.scan(range, input_.scan_limit, keys_)) return false;
  check_scan();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    want(transaction,
         {.name = {.table = range.table, .partition = range.partition, .key = keys_[i]},
          .action = input_.scanned[i % input_.scanned.size()]});
  }
  return fetch_and_act(transaction, 0_ns);
}

void Client::check_scan() {
  const txn::KeyRange& range = input_.range;
  if (keys_.size() > input_.scan_limit) note_fault("a scan gave more keys than it was asked for");
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] < range.first || keys_[i] > range.last) {
      note_fault("a scan gave key " + std::to_string(keys_[i]) + ", which is out of its range");
    }
    if (i == 0 || (range.descending ? keys_[i] < keys_[i - 1] : keys_[i] > keys_[i - 1])) continue;
    note_fault("a scan gave key " + std::to_string(keys_[i]) + " after key " +
               std::to_string(keys_[i - 1]));
  }
}

bool Client::run(Transaction& transaction, const Round& round) {
  for (const Use& use : round.uses) want(transaction, use);
  if (round.prefetches) transaction.prefetch();
  return fetch_and_act(transaction, round.pause);
}

void Client::want(Transaction& transaction, const Use& use) {
  const Handle handle = transaction.want(use.name, intent_of(use.action));
  if (handle == records_.size()) {
    records_.push_back({.for_insert = intent_of(use.action) == Transaction::Intent::kInsert});
  }
  wanted_.push_back({use, handle});
}

bool Client::fetch_and_act(Transaction& transaction, Nanoseconds pause) {
  if (!transaction.fetch()) return false;
  for (const Wanted& wanted : wanted_) {
    look_at(transaction, wanted);
    act(transaction, wanted);
  }
  wanted_.clear();
  if (pause > 0) transaction.wait(pause);
  return true;
}

// With what this attempt has written itself.
bool Client::exists(const Transaction& transaction, Handle handle) const {
  const State state = records_[handle].state;
  return state == State::kAsRead ? transaction.found(handle) : state != State::kErased;
}

void Client::look_at(const Transaction& transaction, const Wanted& wanted) {
  const auto& [use, handle] = wanted;
  if (!exists(transaction, handle)) return;
  const std::string fault = content_fault(use.name, transaction.payload(handle));
  if (!fault.empty()) note_fault(stress_.text_of(use.name) + " was read wrongly: " + fault);
}

void Client::act(Transaction& transaction, const Wanted& wanted) {
  switch (wanted.use.action) {
    case Action::kRead:
    case Action::kLeaveUpdate:
    case Action::kLeaveInsert:
      return;
    case Action::kInsert:
      return insert(transaction, wanted);
    case Action::kUpdate:
    case Action::kUpdateUnannounced:
      return update(transaction, wanted);
    case Action::kErase:
      return erase(transaction, wanted.handle);
  }
}

void Client::insert(Transaction& transaction, const Wanted& wanted) {
  Record& record = records_[wanted.handle];
  if (exists(transaction, wanted.handle)) return update(transaction, wanted);
  if (!record.for_insert || record.state == State::kErased) return;
  write(wanted.use.name, transaction.create_payload(wanted.handle));
  record.state = State::kCreated;
  ++change_;
}

void Client::update(Transaction& transaction, const Wanted& wanted) {
  Record& record = records_[wanted.handle];
  if (!exists(transaction, wanted.handle)) return;
  write(wanted.use.name, transaction.update_payload(wanted.handle));
  if (record.state == State::kAsRead) record.state = State::kWritten;
}

void Client::erase(Transaction& transaction, Handle handle) {
  Record& record = records_[handle];
  if (!exists(transaction, handle) || record.state == State::kCreated) return;
  transaction.erase(handle);
  record.state = State::kErased;
  --change_;
}

void Client::write(const txn::RecordName& name, std::span<std::byte> payload) {
  write_content(name, next_stamp_++, payload);
}

void Client::note_fault(std::string fault) {
  if (fault_.empty()) fault_ = std::move(fault);
}

}  // namespace verbena::workloads::stress
