// Input of a transaction of the stress workload, chosen before it begins.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/random.h"
#include "rdma/base/time.h"
#include "txn/schema/table.h"
#include "txn/transaction.h"
#include "workloads/stress/options.h"

namespace verbena::workloads::stress {

inline constexpr txn::TableId kShort = 0;
inline constexpr txn::TableId kLong = 1;  ///< ordered

/// Kinds of transactions that reports distinguish.
enum class Kind : std::uint32_t { kRead, kScan, kWrite, kScanAndWrite, kCount };

/// Use of a record. An absent record is not updated; an existing one is updated instead of
/// inserted.
enum class Action : std::uint8_t {
  kRead,
  kLeaveUpdate,  ///< announced for update
  kLeaveInsert,  ///< announced for insertion
  kUpdate,
  kUpdateUnannounced,  ///< wanted for reading, then updated
  kInsert,
  kErase,
};

/// Intent with which a record is wanted for an action.
txn::Transaction::Intent intent_of(Action action);

struct Use {
  txn::RecordName name;
  Action action = Action::kRead;
};

struct Round {
  std::vector<Use> uses;
  bool prefetches = false;
  Nanoseconds pause = 0;  ///< after the round
};

/// Input of one transaction. Records may be used more than once.
struct Input {
  Kind kind = Kind::kRead;
  bool scans = false;  ///< scans before the rounds
  txn::KeyRange range = {};
  std::uint32_t scan_limit = 0;
  std::vector<Action> scanned = {};  ///< actions for the scanned records, in turn
  std::vector<Round> rounds = {};
  bool rolls_back = false;

  bool only_reads() const { return kind == Kind::kRead || kind == Kind::kScan; }
};

/// Draws inputs for a cluster of `partitions`.
class InputChooser {
 public:
  InputChooser(const StressOptions& options, std::uint32_t partitions)
      : options_(options), partitions_(partitions) {}

  void choose(Random& random, Input& input) const;

 private:
  bool draw(Random& random, std::uint32_t percent) const { return random.below(100) < percent; }
  void choose_scan(Random& random, Input& input) const;
  void choose_rounds(Random& random, Input& input) const;
  Action choose_action(Random& random, bool only_reads) const;
  txn::RecordName choose_record(Random& random) const;

  StressOptions options_;
  std::uint32_t partitions_;
};

}  // namespace verbena::workloads::stress
