// Validation of records that were read and not written (DrTM+H paper, section 5.2).
#pragma once

#include <cstdint>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/attempt/check_calls.h"

namespace verbena::txn::occ {

/// Checks that the records which an attempt only read are unlocked and unchanged. With
/// Plan::validate_written, also checks that the records which it has locked are unchanged. Belongs
/// to the transaction's fiber.
class ReadValidation {
 public:
  /// Both arguments must outlive it.
  ReadValidation(Attempt& attempt, CheckCalls& check_calls)
      : attempt_(attempt), check_calls_(check_calls) {}

  /// Dooms the attempt if one of the records has changed or is locked.
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
