// The operations on one record, and the check that they have an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "txn/check/registers/register_operation.h"
#include "txn/check/registers/register_search.h"
#include "txn/check/registers/value_zones.h"

namespace verbena::txn {

/// Memory that checks of histories use, one after another, and their counts. Not thread-safe.
struct RegisterTools {
  ValueZones zones;
  RegisterSearch search;
  std::vector<const RegisterOperation*> stretch;
  std::size_t most_states = RegisterSearch::kMostStates;
  std::uint64_t unchecked = 0;  ///< operations known neither to have an order nor to have none
};

/// Operations on one record that are not yet known to be in order. Not thread-safe.
class RegisterHistory {
 public:
  explicit RegisterHistory(ValueDigest initial) : initial_(initial) {}

  /// Adds an operation. If its outcome is unknown, its `ended` is kAfterAll; if it did not write
  /// what it wanted to, its effect is Effect::kNone.
  void add(const RegisterOperation& operation) { operations_.push_back(operation); }

  std::size_t size() const { return operations_.size(); }

  /// Checks and forgets all operations up to the last moment before `now` at which none was in
  /// flight and the last write is certain. All operations that began before `now` must have been
  /// added. Returns a violation, if any.
  std::optional<RegisterFinding> check_before(Moment now, RegisterTools& tools);

  /// Checks all operations. Keeps only those since the last such moment, and some before.
  std::optional<RegisterFinding> check_all(RegisterTools& tools);

  /// Checks that the record can have `value` in the end, after check_all().
  std::optional<RegisterFinding> check_final(ValueDigest value, RegisterTools& tools) const;

 private:
  struct Cut {
    std::size_t operations = 0;  // number of operations before it
    ValueDigest value;
  };

  std::optional<RegisterFinding> check(Moment now, bool whole, RegisterTools& tools);
  std::optional<RegisterFinding> check_stretch(const Cut& begin, std::size_t end,
                                               RegisterTools& tools) const;
  std::optional<RegisterFinding> search(RegisterTools& tools) const;
  RegisterFinding explained(RegisterFinding finding) const;
  void forget(const Cut& cut);

  std::vector<RegisterOperation> operations_;
  ValueDigest initial_;
  bool forgotten_ = false;  // there were others before
};

}  // namespace verbena::txn
