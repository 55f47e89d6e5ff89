// Orders tried one by one; executions by steps of clients.
#include "tests/txn/check/registers/plain_registers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/txn/check/client_histories.h"

namespace verbena::testing {
namespace {

using txn::Outcome;
using txn::ValueDigest;

class PlainSearch {
 public:
  explicit PlainSearch(const PlainHistory& history) : history_(history) {
    for (const PlainOperation& operation : history.operations) {
      if (operation.outcome == Outcome::kAborted) continue;
      if (operation.outcome == Outcome::kUnknown && !operation.written) continue;
      operations_.push_back(operation);
      if (operation.outcome == Outcome::kUnknown) operations_.back().ended = txn::kAfterAll;
      if (operation.outcome == Outcome::kRolledBack) operations_.back().written.reset();
    }
  }

  bool from(std::uint64_t done, ValueDigest value) {
    if (!seen_.insert({done, value}).second) return false;
    bool all = true;
    txn::Moment first_end = txn::kAfterAll;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) != 0) continue;
      all &= operations_[i].outcome == Outcome::kUnknown;
      first_end = std::min(first_end, operations_[i].ended);
    }
    if (all && value == history_.final_value.value_or(value)) return true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const PlainOperation& next = operations_[i];
      if ((done >> i & 1) != 0 || next.began > first_end) continue;
      if (next.read.value_or(value) != value) continue;
      if (from(done | std::uint64_t{1} << i, next.written.value_or(value))) return true;
    }
    return false;
  }

 private:
  const PlainHistory& history_;
  std::vector<PlainOperation> operations_;
  std::set<std::pair<std::uint64_t, ValueDigest>> seen_;
};

// A client's operation, before and after the moment at which it happens.
struct Running {
  PlainOperation operation;
  bool happened = false;
};

class PlainExecution {
 public:
  PlainExecution(Random& random, const PlainMix& mix, ValueDigest initial)
      : random_(random), mix_(mix), value_(initial), written_{initial} {
    history_.initial = initial;
  }

  PlainHistory run() {
    std::vector<Running> running;
    std::size_t begun = 0;
    while (begun < mix_.operations || !running.empty()) {
      const std::size_t at = random_.below(mix_.clients);
      if (at >= running.size()) {
        if (begun == mix_.operations) continue;
        ++begun;
        running.emplace_back().operation.began = ++now_;
      } else if (!running[at].happened) {
        happen(running[at]);
      } else {
        end(running[at].operation);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    if (random_.below(2) == 0) history_.final_value = value_;
    for (std::uint64_t i = 0; i < mix_.wrong; ++i) spoil();
    return std::move(history_);
  }

 private:
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  ValueDigest next_value() {
    if (chance(mix_.erasures)) return txn::kAbsentValue;
    return chance(mix_.repeats) ? written_[random_.below(written_.size())] : ++last_;
  }

  void happen(Running& running) {
    PlainOperation& operation = running.operation;
    running.happened = true;
    const bool step = chance(mix_.steps);
    const bool write = step || chance(50);
    if (!write || step) operation.read = value_;
    if (write) operation.written = next_value();
    if (chance(mix_.aborted)) {
      operation.outcome = chance(50) || !operation.read ? Outcome::kAborted : Outcome::kRolledBack;
      return;
    }
    if (!write) return;
    bool happens = true;
    if (chance(mix_.unknown)) {
      operation.outcome = Outcome::kUnknown;
      happens = chance(60);
    }
    if (!happens) return;
    value_ = *operation.written;
    written_.push_back(value_);
  }

  void end(PlainOperation operation) {
    operation.ended = ++now_;
    history_.operations.push_back(operation);
  }

  // Another value of the history, or none of it, in place of one.
  void spoil() {
    const ValueDigest other = chance(95) ? written_[random_.below(written_.size())] : ++last_;
    if (history_.final_value && chance(20)) {
      history_.final_value = other;
      return;
    }
    std::vector<PlainOperation*> readers;
    for (PlainOperation& operation : history_.operations) {
      if (operation.read) readers.push_back(&operation);
    }
    if (readers.empty() || chance(10)) {
      history_.operations[random_.below(history_.operations.size())].written = other;
    } else {
      readers[random_.below(readers.size())]->read = other;
    }
  }

  Random& random_;
  const PlainMix mix_;
  PlainHistory history_;
  ValueDigest value_;
  std::vector<ValueDigest> written_;
  ValueDigest last_ = 100;
  txn::Moment now_ = 0;
};

}  // namespace

bool has_order(const PlainHistory& history) {
  return PlainSearch(history).from(0, history.initial);
}

PlainHistory random_history(Random& random, const PlainMix& mix, ValueDigest initial) {
  return PlainExecution(random, mix, initial).run();
}

txn::ClientHistory attempts_of(const PlainHistory& history, txn::Key key, std::size_t first,
                               std::size_t end) {
  txn::ClientHistory attempts;
  for (std::size_t i = first; i < end; ++i) {
    const PlainOperation& operation = history.operations[i];
    AttemptBuilder attempt(static_cast<std::uint16_t>(i));
    attempt.during(operation.began, operation.ended).outcome(operation.outcome);
    if (operation.read && operation.written) {
      attempt.write(key, *operation.read, *operation.written);
    } else if (operation.read) {
      attempt.read(key, *operation.read);
    } else {
      attempt.put(key, *operation.written);
    }
    attempt.add_to(attempts);
  }
  return attempts;
}

}  // namespace verbena::testing
