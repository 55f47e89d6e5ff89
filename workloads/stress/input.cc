// Drawing transactions.
#include "workloads/stress/input.h"

#include <algorithm>

namespace verbena::workloads::stress {

using Intent = txn::Transaction::Intent;

Intent intent_of(Action action) {
  switch (action) {
    case Action::kRead:
    case Action::kUpdateUnannounced:
      return Intent::kRead;
    case Action::kLeaveUpdate:
    case Action::kUpdate:
    case Action::kErase:
      return Intent::kUpdate;
    case Action::kLeaveInsert:
    case Action::kInsert:
      return Intent::kInsert;
  }
  return Intent::kRead;
}

void InputChooser::choose(Random& random, Input& input) const {
  const bool only_reads = draw(random, options_.read_percent);
  input.scans = draw(random, options_.scan_percent.value_or(StressOptions::kUsualScanPercent));
  input.kind = only_reads ? (input.scans ? Kind::kScan : Kind::kRead)
                          : (input.scans ? Kind::kScanAndWrite : Kind::kWrite);
  input.rolls_back = draw(random, options_.roll_back_percent);
  input.scanned.clear();
  if (input.scans) choose_scan(random, input);
  choose_rounds(random, input);
}

void InputChooser::choose_scan(Random& random, Input& input) const {
  const auto keys = std::uint64_t{options_.keys_per_node};
  const txn::Key one = random.below(keys);
  const txn::Key other = random.below(keys);
  input.range = {.table = kLong,
                 .partition = static_cast<txn::PartitionId>(random.below(partitions_)),
                 .first = std::min(one, other),
                 .last = std::max(one, other),
                 .descending = random.below(2) == 0};
  input.scan_limit = static_cast<std::uint32_t>(random.between(1, options_.scan_length));
  input.scanned.resize(input.scan_limit);
  for (Action& action : input.scanned) action = choose_action(random, input.only_reads());
}

// One record or several: a scan may be all that a transaction does.
void InputChooser::choose_rounds(Random& random, Input& input) const {
  const auto records =
      static_cast<std::uint32_t>(random.below(3) == 0 ? 1 : random.between(1, options_.records));
  input.rounds.resize(input.scans && random.below(2) == 0 ? 0 : random.between(1, options_.rounds));
  for (Round& round : input.rounds) {
    round.uses.clear();
    round.prefetches = random.below(2) == 0;
    round.pause = draw(random, options_.pause_percent)
                      ? Nanoseconds(random.between(1, 1000 * std::int64_t{options_.pause_us}))
                      : 0_ns;
  }
  if (input.rounds.empty()) return;
  for (std::uint32_t i = 0; i < records; ++i) {
    input.rounds[random.below(input.rounds.size())].uses.push_back(
        {choose_record(random), choose_action(random, input.only_reads())});
  }
}

Action InputChooser::choose_action(Random& random, bool only_reads) const {
  if (only_reads) return Action::kRead;
  auto left = static_cast<std::uint32_t>(random.below(100));
  const bool other_way = random.below(2) == 0;
  const auto is = [&left](std::uint32_t percent) {
    const bool drawn = left < percent;
    left -= percent;  // beyond 0 it is more than any percentage
    return drawn;
  };
  if (is(options_.update_percent)) return other_way ? Action::kUpdateUnannounced : Action::kUpdate;
  if (is(options_.insert_percent)) return Action::kInsert;
  if (is(options_.erase_percent)) return Action::kErase;
  if (is(options_.leave_percent)) return other_way ? Action::kLeaveInsert : Action::kLeaveUpdate;
  return Action::kRead;
}

txn::RecordName InputChooser::choose_record(Random& random) const {
  const bool hot = draw(random, options_.hot_percent);
  const std::uint64_t keys = hot ? options_.hot_keys : options_.keys_per_node;
  return {.table = random.below(2) == 0 ? kShort : kLong,
          .partition = static_cast<txn::PartitionId>(random.below(partitions_)),
          .key = random.below(keys)};
}

}  // namespace verbena::workloads::stress
