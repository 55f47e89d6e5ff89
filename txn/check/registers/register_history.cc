// One record: from cut to cut by zones, and by search where values are shared.
#include "txn/check/registers/register_history.h"

#include <algorithm>
#include <utility>

#include "txn/check/registers/open_operations.h"

namespace verbena::txn {

std::optional<RegisterFinding> RegisterHistory::check_before(Moment now, RegisterTools& tools) {
  return check(now, false, tools);
}

std::optional<RegisterFinding> RegisterHistory::check_all(RegisterTools& tools) {
  return check(kAfterAll, true, tools);
}

// With a read of it after all else.
std::optional<RegisterFinding> RegisterHistory::check_final(ValueDigest value,
                                                            RegisterTools& tools) const {
  RegisterHistory with_read = *this;
  RegisterOperation last_read{.began = kAfterAll, .ended = kAfterAll, .read = value};
  last_read.reads = true;
  with_read.add(last_read);
  const std::uint64_t unchecked = tools.unchecked;
  auto found = with_read.check(kAfterAll, true, tools);
  tools.unchecked = unchecked;
  if (!found) return std::nullopt;
  found->name = "final state";
  found->what = "it is not in the end what any last write can have left";
  const auto last = std::ranges::find_if(
      operations_.rbegin(), operations_.rend(),
      [](const RegisterOperation& one) { return one.writes && one.effect != Effect::kNone; });
  if (last != operations_.rend() && found->operations.size() == 1) {
    found->operations.push_back(*last);
  }
  return found;
}

// At a cut nothing is in flight, and the last write began after all others had ended.
std::optional<RegisterFinding> RegisterHistory::check(Moment now, bool whole,
                                                      RegisterTools& tools) {
  std::ranges::sort(operations_, {}, &RegisterOperation::began);
  resolve_open_operations(initial_, operations_);
  Cut cut{.operations = 0, .value = initial_};
  Cut before = cut;
  Moment latest_end = kBeforeAll;
  Moment latest_write_end = kBeforeAll;
  bool settled = true;
  ValueDigest value = initial_;
  for (std::size_t i = 0; i <= operations_.size(); ++i) {
    const bool at_end = i == operations_.size() || operations_[i].began >= now;
    const Moment next = at_end ? now : operations_[i].began;
    if (settled && latest_end < next && i > cut.operations) {
      if (auto found = check_stretch(cut, i, tools)) return found;
      before = std::exchange(cut, {.operations = i, .value = value});
    }
    if (at_end) break;
    const RegisterOperation& operation = operations_[i];
    if (operation.effect == Effect::kNone) continue;
    latest_end = std::max(latest_end, operation.ended);
    if (!operation.writes) continue;
    settled = operation.began > latest_write_end;
    latest_write_end = std::max(latest_write_end, operation.ended);
    value = operation.written;
  }
  if (whole) {
    if (auto found = check_stretch(cut, operations_.size(), tools)) return found;
  }
  forget(whole ? before : cut);
  return std::nullopt;
}

std::optional<RegisterFinding> RegisterHistory::check_stretch(const Cut& begin, std::size_t end,
                                                              RegisterTools& tools) const {
  tools.stretch.clear();
  for (std::size_t i = begin.operations; i < end; ++i) {
    if (operations_[i].effect != Effect::kNone) tools.stretch.push_back(&operations_[i]);
  }
  if (tools.stretch.empty()) return std::nullopt;
  if (tools.stretch.size() == 1) {
    const RegisterOperation& only = *tools.stretch.front();
    const bool fits = !only.reads || only.read == begin.value;
    if (only.effect == Effect::kCertain && fits) return std::nullopt;
  }
  if (auto found = tools.zones.build(begin.value, tools.stretch)) {
    return explained(std::move(*found));
  }
  if (tools.zones.shared() == 0) return std::nullopt;
  return search(tools);
}

std::optional<RegisterFinding> RegisterHistory::search(RegisterTools& tools) const {
  const RegisterSearch::Result result = tools.search.run(tools.zones, tools.most_states);
  tools.unchecked += result.unchecked;
  if (result.ordered) return std::nullopt;
  RegisterFinding found{.name = "not linearizable",
                        .what = "no order that the clock allows explains what was read, up to",
                        .operations = {}};
  for (const RegisterOperation* operation : result.operations) {
    found.operations.push_back(*operation);
  }
  return found;
}

// Says of a value without a writer in its stretch who else wrote it, or wanted to.
RegisterFinding RegisterHistory::explained(RegisterFinding finding) const {
  if (finding.name != "unwritten value") return finding;
  const RegisterOperation reader = finding.operations.front();
  const RegisterOperation* other = nullptr;
  for (const RegisterOperation& operation : operations_) {
    if (!operation.writes || operation.written != reader.read) continue;
    if (other != nullptr && other->effect != Effect::kNone) continue;
    other = &operation;
  }
  if (other == nullptr) {
    if (forgotten_) finding.what += ", or long before";
    if (reader.read == initial_) {
      finding.name = "stale read";
      finding.what = "the value that was there at first was read after it had been replaced";
    }
    return finding;
  }
  finding.operations.push_back(*other);
  if (other->effect == Effect::kNone) {
    finding.name = "G1a";
    finding.what = "aborted read: a value was read that was not committed";
  } else if (other->began > reader.ended) {
    finding.name = "early read";
    finding.what = "a value was read before its write began";
  } else {
    finding.name = "stale read";
    finding.what = "a value was read after it had been replaced";
  }
  return finding;
}

// Keeps writes of unknown outcome that nobody has read: somebody may read them later.
void RegisterHistory::forget(const Cut& cut) {
  if (cut.operations == 0) return;
  const auto end = operations_.begin() + static_cast<std::ptrdiff_t>(cut.operations);
  const auto kept = std::remove_if(operations_.begin(), end, [](const RegisterOperation& one) {
    return one.outcome != Outcome::kUnknown || one.effect != Effect::kNone;
  });
  operations_.erase(kept, end);
  initial_ = cut.value;
  forgotten_ = true;
}

}  // namespace verbena::txn
