// Attempts on tables as they are loaded.
#include "workloads/run/history/trial_transaction.h"

#include <algorithm>
#include <cstring>

namespace verbena::workloads {

void TrialTransaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  names_.clear();
  payloads_.clear();
  written_.clear();
}

txn::Transaction::Handle TrialTransaction::note(const txn::RecordName& name, Intent intent) {
  const auto known = std::ranges::find(names_, name);
  if (known != names_.end()) return static_cast<Handle>(known - names_.begin());
  names_.push_back(name);
  payloads_.emplace_back();
  items_.push_back({.intent = intent, .drawn = schema_[name.table].drawn()});
  return static_cast<Handle>(names_.size() - 1);
}

bool TrialTransaction::fetch_noted() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].fetched) continue;
    items_[i].fetched = true;
    items_[i].found = load(names_[i], payloads_[i]);
    items_[i].payload = payloads_[i].data();
    items_[i].bytes = schema_[names_[i].table].payload_bytes;
  }
  return true;
}

bool TrialTransaction::load(const txn::RecordName& name, std::vector<std::byte>& payload) const {
  const txn::TableDefinition& table = schema_[name.table];
  payload.assign((table.payload_bytes + 7) / 8 * 8, std::byte{0});
  if (!table.initial_index(name.key)) return false;
  if (table.load) table.load(name.partition, name.key, {payload.data(), table.payload_bytes});
  return true;
}

bool TrialTransaction::scan_range(const txn::KeyRange& range, std::uint32_t limit,
                                  std::vector<txn::Key>& keys) {
  keys.clear();
  const txn::KeyShape shape = schema_[range.table].key_shape();
  const std::uint64_t first = shape.rank(range.first);
  const std::uint64_t last = shape.rank_after(range.last);
  for (std::uint64_t i = first; i < last && keys.size() < limit; ++i) {
    keys.push_back(shape.key_of(range.descending ? last - 1 - (i - first) : i));
  }
  return true;
}

std::uint64_t TrialTransaction::draw_number(const txn::RecordName& name) {
  std::vector<std::byte> payload;
  load(name, payload);
  std::uint64_t number = 0;
  std::memcpy(&number, payload.data(), std::min(payload.size(), sizeof number));
  return number;
}

bool TrialTransaction::commit_attempt() {
  for (std::size_t i = 0; !doomed() && i < items_.size(); ++i) {
    if (items_[i].written) written_.push_back(names_[i]);
  }
  doom(txn::AbortCause{});
  end_attempt(0);
  return false;
}

bool TrialTransaction::roll_back_attempt() {
  end_attempt(0);
  return true;
}

}  // namespace verbena::workloads
