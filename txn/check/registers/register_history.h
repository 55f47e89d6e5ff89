// The operations on one record, and whether they have an order.
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

/// Memory that checks of histories use, one after another, and what they count. Not thread-safe.
struct RegisterTools {
  ValueZones zones;
  RegisterSearch search;
  std::vector<const RegisterOperation*> stretch;
  std::size_t most_states = RegisterSearch::kMostStates;
  std::uint64_t unchecked = 0;  ///< of which it is not known that they have an order, nor that not
};

/// The operations on one record that are not known to be in order yet. Not thread-safe.
class RegisterHistory {
 public:
  explicit RegisterHistory(ValueDigest initial) : initial_(initial) {}

  /// Takes one whose outcome nobody knows with `ended` kAfterAll, and one that did not write what
  /// it wanted to with Effect::kNone.
  void add(const RegisterOperation& operation) { operations_.push_back(operation); }

  std::size_t size() const { return operations_.size(); }

  /// Checks all up to the last moment before `now` when no operation was in flight and there is no
  /// doubt which write was the last, and forgets that. All that began before `now` has been added.
  /// Returns what no order allows.
  std::optional<RegisterFinding> check_before(Moment now, RegisterTools& tools);

  /// Checks all, and forgets it but for the operations since the last such moment, and some before.
  std::optional<RegisterFinding> check_all(RegisterTools& tools);

  /// Checks that the record can have `value` after check_all().
  std::optional<RegisterFinding> check_final(ValueDigest value, RegisterTools& tools) const;

 private:
  struct Cut {
    std::size_t operations = 0;  // that come before it
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
