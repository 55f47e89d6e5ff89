// Values to blocks, blocks to zones, and which zones exclude each other.
#include "txn/check/registers/value_zones.h"

#include <algorithm>
#include <utility>

namespace verbena::txn {
namespace {

RegisterFinding finding(const char* name, const char* what,
                        std::initializer_list<const RegisterOperation*> operations) {
  RegisterFinding found{.name = name, .what = what, .operations = {}};
  for (const RegisterOperation* operation : operations) {
    const auto same = [&](const RegisterOperation& other) {
      return operation->client == other.client && operation->sequence == other.sequence;
    };
    if (operation == nullptr || std::ranges::any_of(found.operations, same)) continue;
    found.operations.push_back(*operation);
  }
  return found;
}

}  // namespace

std::uint32_t ValueZones::index_of(ValueDigest value) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(digests_, value) - digests_.begin());
}

void ValueZones::widen(Value& value, const RegisterOperation& operation) {
  if (operation.ended <= value.first_end) {
    value.first_end = operation.ended;
    value.ends_first = &operation;
  }
  if (operation.began >= value.last_begin) {
    value.last_begin = operation.began;
    value.begins_last = &operation;
  }
}

std::optional<RegisterFinding> ValueZones::build(
    ValueDigest initial, std::span<const RegisterOperation* const> operations) {
  forward_.clear();
  points_.clear();
  shared_ = 0;
  initial_ = kNone;
  collect(initial, operations);
  find_shared(initial);
  auto found = find_zones();
  if (!found) found = build_blocks();
  if (found) return found;
  if (shared_ > 0) add_shared();
  return check_zones();
}

void ValueZones::collect(ValueDigest initial,
                         std::span<const RegisterOperation* const> operations) {
  digests_.assign(1, initial);
  for (const RegisterOperation* operation : operations) {
    if (operation->reads) digests_.push_back(operation->read);
    if (operation->writes) digests_.push_back(operation->written);
  }
  std::ranges::sort(digests_);
  digests_.erase(std::ranges::unique(digests_).begin(), digests_.end());
  values_.assign(digests_.size(), {});
  uses_.clear();
  for (const RegisterOperation* operation : operations) {
    uses_.push_back({.operation = operation,
                     .read = operation->reads ? index_of(operation->read) : 0,
                     .written = operation->writes ? index_of(operation->written) : 0});
  }
}

void ValueZones::find_shared(ValueDigest initial) {
  value_of(initial).writers = 1;
  for (const Use& use : uses_) {
    const bool possible = use.operation->effect == Effect::kPossible;
    if (use.operation->writes) {
      Value& value = values_[use.written];
      value.writer = use.operation;
      value.possible |= possible;
      ++value.writers;
    }
    if (use.operation->reads) values_[use.read].possible |= possible;
  }
  for (Value& value : values_) {
    if (value.writers > 1 || value.possible) value.shared = static_cast<Number>(shared_++);
  }
  initial_ = value_of(initial).shared;
}

// Only of values that are not shared, but for those that nobody wrote.
std::optional<RegisterFinding> ValueZones::find_zones() {
  for (const Use& use : uses_) {
    const RegisterOperation* operation = use.operation;
    if (operation->writes) {
      Value& written = values_[use.written];
      if (written.shared == kNone) widen(written, *operation);
    }
    if (!operation->reads) continue;
    Value& read = values_[use.read];
    if (read.writers == 0 && operation->effect == Effect::kCertain) {
      return finding("unwritten value", "a value was read that nobody committed", {operation});
    }
    if (read.shared != kNone) continue;
    if (read.writer != nullptr && operation->ended < read.writer->began) {
      return finding("early read", "a value was read before its write began",
                     {operation, read.writer});
    }
    widen(read, *operation);
    read.reader = operation;
    if (!operation->writes) continue;
    if (read.step != nullptr) {
      return finding("lost update", "two steps replaced the same value", {read.step, operation});
    }
    read.step = operation;
  }
  return std::nullopt;
}

std::optional<RegisterFinding> ValueZones::build_blocks() {
  for (Value& value : values_) {
    if (value.shared != kNone || value.writers == 0) continue;
    if (value.writer == nullptr) {
      if (value.reader == nullptr) value.in_block = true;
    } else if (value.writer->reads && value_of(value.writer->read).shared == kNone) {
      continue;  // a step joins it to the one before
    }
    if (value.in_block) continue;
    if (auto found = build_block(value)) return found;
  }
  for (const Value& value : values_) {
    if (value.shared != kNone || value.writers == 0 || value.in_block) continue;
    return finding("G1c", "steps went in a circle: each replaced what the one before wrote",
                   {value.writer, value.step});
  }
  return std::nullopt;
}

std::optional<RegisterFinding> ValueZones::build_block(Value& first) {
  Block block;
  const RegisterOperation* writer = first.writer;
  if (writer == nullptr) {
    block.first_end = kBeforeAll;
  } else if (writer->reads) {
    block.entry = value_of(writer->read).shared;
  }
  chain_.clear();
  for (Value* value = &first;;) {
    value->in_block = true;
    chain_.push_back(value);
    if (value->first_end < block.first_end) {
      block.first_end = value->first_end;
      block.ends_first = value->ends_first;
    }
    if (value->last_begin >= block.last_begin) {
      block.last_begin = value->last_begin;
      block.begins_last = value->begins_last;
    }
    if (value->step == nullptr) break;
    Value& next = value_of(value->step->written);
    block.exit = next.shared;
    if (next.shared != kNone) break;
    value = &next;
  }
  if (auto found = check_inside(block)) return found;
  (block.forward() ? forward_ : points_).push_back(block);
  return std::nullopt;
}

// In the order of a block's values: nothing ends before what comes before it begins. Only the first
// value's writer, and a step that leaves a shared value, are known to none of the next values.
std::optional<RegisterFinding> ValueZones::check_inside(const Block& block) const {
  const RegisterOperation* writer = chain_.front()->writer;
  const RegisterOperation* began = writer;
  Moment latest_begin = writer == nullptr ? kBeforeAll : writer->began;
  if (writer != nullptr && block.first_end < writer->began) {
    return finding("early read", "a value was replaced or read before its write began",
                   {block.ends_first, writer});
  }
  // From the last value back: what of it and the later ones ended first.
  std::vector<const RegisterOperation*> ends(chain_.size() + 1);
  const RegisterOperation* last = chain_.back()->step;
  ends.back() = last;
  for (std::size_t i = chain_.size(); i-- > 0;) {
    const RegisterOperation* end = chain_[i]->ends_first;
    ends[i] = ends[i + 1] == nullptr || end->ended < ends[i + 1]->ended ? end : ends[i + 1];
  }
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    if (chain_[i]->last_begin >= latest_begin) {
      latest_begin = chain_[i]->last_begin;
      began = chain_[i]->begins_last;
    }
    if (ends[i + 1] == nullptr || latest_begin <= ends[i + 1]->ended) continue;
    return finding("stale read", "a value was read after it had been replaced",
                   {began, ends[i + 1]});
  }
  return std::nullopt;
}

// Each operation whose values are all shared is alone.
void ValueZones::add_shared() {
  for (const Use& use : uses_) {
    const RegisterOperation* operation = use.operation;
    const Number read = operation->reads ? values_[use.read].shared : kNone;
    const Number written = operation->writes ? values_[use.written].shared : kNone;
    if ((operation->reads && read == kNone) || (operation->writes && written == kNone)) continue;
    points_.push_back({.first_end = operation->ended,
                       .last_begin = operation->began,
                       .entry = read,
                       .exit = operation->writes ? written : read,
                       .reads = !operation->writes,
                       .possible = operation->effect == Effect::kPossible,
                       .ends_first = operation,
                       .begins_last = operation});
  }
}

std::optional<RegisterFinding> ValueZones::check_zones() {
  std::ranges::sort(forward_, {}, &Block::first_end);
  for (std::size_t i = 1; i < forward_.size(); ++i) {
    const Block& one = forward_[i - 1];
    const Block& next = forward_[i];
    if (one.last_begin <= next.first_end) continue;
    return finding("stale read", "two values were each there before and after the other",
                   {one.ends_first, next.ends_first, one.begins_last, next.begins_last});
  }
  // Null: no block holds the record at the moment, but for its first and last.
  const auto holder = [this](Moment moment) -> const Block* {
    const auto after = std::ranges::lower_bound(forward_, moment, {}, &Block::first_end);
    if (after == forward_.begin()) return nullptr;
    const Block& before = *std::prev(after);
    return moment < before.last_begin ? &before : nullptr;
  };
  for (Block& point : points_) {
    const Block* at_begin = holder(point.last_begin);
    const Block* at_end = holder(point.first_end);
    if (at_begin != nullptr && at_begin == at_end) {
      return finding(
          "stale read", "a value was there before and after another",
          {at_begin->ends_first, point.ends_first, point.begins_last, at_begin->begins_last});
    }
    if (at_begin != nullptr) point.last_begin = at_begin->last_begin;
    if (at_end != nullptr) point.first_end = at_end->first_end;
  }
  return std::nullopt;
}

}  // namespace verbena::txn
