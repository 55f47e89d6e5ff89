// Validation of records that were read and not written (DrTM+H paper, section 5.2).
#pragma once

#include <cstdint>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/check_calls.h"

namespace verbena::txn::occ {

/// Sees that the records which an attempt read, and neither writes nor has locked, are unlocked and
/// of the version that was read; with Plan::validate_written those that it has locked are, too.
/// Belongs to the transaction's fiber.
class ReadValidation {
 public:
  /// Both must outlive it.
  ReadValidation(Attempt& attempt, CheckCalls& check_calls)
      : attempt_(attempt), check_calls_(check_calls) {}

  /// Dooms the attempt if one has changed or is locked.
  void validate(const PhasePlan& phase);

 private:
  void validate_one_sided(const PhasePlan& phase);
  void validate_two_sided(const PhasePlan& phase);
  bool wanted(const Access& access) const;
  bool locked_by_another(const Access& access, std::uint64_t lock) const;
  void check_local(const Access& access);
  void check_header(const Access& access);

  Attempt& attempt_;
  CheckCalls& check_calls_;
};

}  // namespace verbena::txn::occ
