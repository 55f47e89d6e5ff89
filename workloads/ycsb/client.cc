// YCSB's transactions.
#include "workloads/ycsb/client.h"

#include <algorithm>
#include <string>
#include <utility>

#include "workloads/end_attempt.h"
#include "workloads/ycsb/ycsb.h"

namespace verbena::workloads::ycsb {
namespace {

using txn::Transaction;
using Intent = Transaction::Intent;

constexpr auto kMixed = static_cast<std::uint32_t>(Operation::kCount);

}  // namespace

Client::Client(const Ycsb& ycsb, KeyChooser chooser, Random random)
    : ycsb_(ycsb), chooser_(chooser), random_(random) {}

std::uint32_t Client::next() {
  accesses_.clear();
  insertions_ = 0;
  writes_ = 0;
  Operation operation = ycsb_.mix().draw(random_);
  scans_ = operation == Operation::kScan;
  if (scans_) {
    choose_scan();
    return static_cast<std::uint32_t>(operation);
  }
  if (ycsb_.keys_per_transaction() > 0) add(operation);
  while (accesses_.size() < ycsb_.keys_per_transaction()) {
    operation = ycsb_.mix().draw(random_);
    if (operation != Operation::kScan) add(operation);
  }
  share_intent();
  return kind();
}

void Client::choose_scan() {
  scan_start_ = chooser_.existing(random_);
  scan_length_ = static_cast<std::uint32_t>(random_.between(1, ycsb_.max_scan_length()));
}

void Client::add(Operation operation) {
  Access access;
  access.operation = operation;
  if (operation == Operation::kInsert) {
    access.place = chooser_.insertion(insertions_++);
    access.intent = Intent::kInsert;
  } else {
    access.place = chooser_.existing(random_);
  }
  if (operation == Operation::kUpdate || operation == Operation::kReadModifyWrite) {
    access.field = static_cast<std::uint32_t>(random_.below(ycsb_.format().fields()));
    const bool blind = operation == Operation::kUpdate && ycsb_.replaces();
    access.intent = blind ? Intent::kOverwrite : Intent::kUpdate;
  }
  writes_ += access.intent == Intent::kRead ? 0 : 1;
  accesses_.push_back(access);
}

// A record's first intent counts, so a read tells of the update that follows, and what replaces a
// record of what reads it.
void Client::share_intent() {
  for (const Access& access : accesses_) {
    if (access.intent == Intent::kInsert) continue;
    for (Access& other : accesses_) {
      if (other.place == access.place && other.intent != access.intent) {
        other.intent = Intent::kUpdate;
      }
    }
  }
}

std::uint32_t Client::kind() const {
  if (accesses_.empty()) return kMixed;
  const Operation first = accesses_.front().operation;
  const bool alike = std::ranges::all_of(
      accesses_, [first](const Access& access) { return access.operation == first; });
  return alike ? static_cast<std::uint32_t>(first) : kMixed;
}

Attempt Client::execute(Transaction& transaction) {
  fault_.clear();
  handles_.clear();
  return scans_ ? scan(transaction) : run(transaction);
}

Attempt Client::run(Transaction& transaction) {
  // One of no operations might have written.
  const bool reads = writes_ == 0 && !accesses_.empty();
  transaction.begin(reads ? Transaction::Kind::kReadOnly : Transaction::Kind::kReadWrite);
  for (const Access& access : accesses_) {
    handles_.push_back(
        transaction.want(Ycsb::kRecords, access.place.partition, access.place.key, access.intent));
  }
  if (!transaction.fetch()) return abandon(transaction);
  ++attempts_;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (accesses_[i].operation != Operation::kInsert) look_at(transaction, i, accesses_[i].place);
  }
  for (std::size_t i = 0; i < accesses_.size(); ++i) change(transaction, i);
  if (end(transaction) == Attempt::kAborted) return Attempt::kAborted;
  chooser_.inserted(insertions_);
  if (!ycsb_.replaces()) committed_change_ += writes_;
  return Attempt::kCommitted;
}

// Records are never erased, so what was chosen is there.
void Client::look_at(const Transaction& transaction, std::size_t index, const Place& place) {
  const Transaction::Handle handle = handles_[index];
  std::string fault;
  if (!transaction.found(handle)) {
    fault = "it is not there";
  } else if (accesses_.empty() || accesses_[index].intent != Intent::kOverwrite) {
    fault = ycsb_.fault(place, transaction.payload(handle));
  }
  if (fault.empty() || !fault_.empty()) return;
  fault_ = std::move(fault);
  faulty_ = place;
}

// Only what a committed transaction has read must have been so.
Attempt Client::end(Transaction& transaction) {
  if (!transaction.commit()) return Attempt::kAborted;
  if (!fault_.empty()) ycsb_.report_read(faulty_, fault_);
  return Attempt::kCommitted;
}

void Client::change(Transaction& transaction, std::size_t access) const {
  const auto& [operation, place, field, intent] = accesses_[access];
  const RecordFormat& format = ycsb_.format();
  if (operation == Operation::kInsert) {
    const auto payload = transaction.create_payload(handles_[access]);
    format.write(place.partition, place.key, payload);
    RecordFormat::count_change(payload);
  } else if (operation != Operation::kRead && ycsb_.replaces()) {
    const auto payload = transaction.overwrite_payload(handles_[access]);
    format.replace(place.partition, place.key, chooser_.unique_number(attempts_), payload);
    if (KeyChooser::is_inserted(place.key)) RecordFormat::count_change(payload);
  } else if (operation != Operation::kRead) {
    format.change(place.partition, place.key, field, transaction.update_payload(handles_[access]));
  }
}

// The records from the start on, as far as the partition has them.
Attempt Client::scan(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  const txn::KeyRange range = {.table = Ycsb::kRecords,
                               .partition = scan_start_.partition,
                               .first = scan_start_.key,
                               .last = txn::kNoKey - 1};
  if (!transaction.scan(range, scan_length_, keys_)) return abandon(transaction);
  for (const txn::Key key : keys_) {
    handles_.push_back(transaction.want(Ycsb::kRecords, range.partition, key));
  }
  if (!transaction.fetch()) return abandon(transaction);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    // One that is being inserted may be absent.
    if (!transaction.found(handles_[i])) continue;
    look_at(transaction, i, {.partition = range.partition, .key = keys_[i]});
  }
  return end(transaction);
}

}  // namespace verbena::workloads::ycsb
