// Validation of keys that were not found.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/execution/look_up.h"

namespace verbena::txn::occ {

/// Validates keys that an attempt found absent and does not insert. Such a key must have been
/// absent throughout. If an index had the record, the same look-up must find the same version of
/// it; otherwise the look-up's buckets must not have changed. Belongs to the transaction's fiber.
class AbsentKeys {
 public:
  /// Both arguments must outlive it.
  AbsentKeys(Attempt& attempt, LookUp& look_up) : attempt_(attempt), look_up_(look_up) {}

  /// Looks the keys up again; dooms the attempt if one may have been inserted.
  void validate(const PhasePlan& phase);

 private:
  // Result of a look-up, which must be found again.
  struct Absence {
    Access* access;
    std::uint32_t entry;
    std::uint64_t version;
  };

  bool start_again(const PhasePlan& phase);
  bool finish_round(const PhasePlan& phase);

  Attempt& attempt_;
  LookUp& look_up_;
  std::vector<Absence> absences_;
};

}  // namespace verbena::txn::occ
